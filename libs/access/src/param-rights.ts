import { isDeepStrictEqual } from 'node:util';
import { MASTERS, type RequestAttributes } from '@orch/authorization';
import { type ApiObject, forbiddenField, parseApiVersion } from '@orch/machinery';
import type { ServedResources } from '@orch/resources';
import { type Caller, type Draft, invalidObject } from '@orch/writing';

/** Kind of a policy's parameters (`spec.paramKind`). */
interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

interface PolicySpec {
  readonly paramKind?: ParamKind;
}

interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: { readonly name?: string; readonly namespace?: string; readonly selector?: object };
}

interface ParamRightsOptions {
  /** API group of policies and bindings. */
  readonly group: string;
  readonly served: Pick<ServedResources, 'current'>;
  /** Returns the current policy; undefined where there is none. */
  readonly policy: (name: string) => Promise<ApiObject | undefined>;
}

/**
 * Requires rights to a policy's parameters, so that nobody learns from its decisions what they may not read: the author
 * of a policy must be able to read all objects of its kind of parameters, the author of a binding the objects that it
 * references (k8s.io/kubernetes, pkg/registry/admissionregistration).
 */
export class ParamRights {
  constructor(private readonly options: ParamRightsOptions) {}

  /** @throws StatusError 422 */
  check(draft: Draft): void | Promise<void> {
    const { endpoint, caller, subresource } = draft.request;
    const { group, resource } = endpoint.definition;
    const { access, user } = caller;
    if (group !== this.options.group || subresource !== '' || !access || user.groups.includes(MASTERS))
      return undefined;
    if (resource === 'validatingadmissionpolicies') return this.#checkPolicy(draft);
    if (resource === 'validatingadmissionpolicybindings') return this.#checkBinding(draft);
    return undefined;
  }

  #checkPolicy(draft: Draft): void | Promise<void> {
    const { paramKind } = specOf<PolicySpec>(draft.wanted);
    if (!paramKind || isDeepStrictEqual(paramKind, specOf<PolicySpec>(draft.before).paramKind)) return undefined;
    const { apiVersion, kind } = paramKind;
    const why = `must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
    return this.#require(draft, paramKind, { verb: 'get', namespace: '*', name: '*' }, 'spec.paramKind', why);
  }

  #checkBinding(draft: Draft): void | Promise<void> {
    const { paramRef, policyName = '' } = specOf<BindingSpec>(draft.wanted);
    const before = specOf<BindingSpec>(draft.before);
    if (!paramRef || (isDeepStrictEqual(paramRef, before.paramRef) && policyName === before.policyName))
      return undefined;
    const { name = '', namespace = '' } = paramRef;
    const verb = name === '' ? 'list' : 'get';
    const why = `does not have "${verb}" permission on the object referenced by paramRef`;
    return this.options.policy(policyName).then((policy) => {
      const { paramKind } = specOf<PolicySpec>(policy);
      return this.#require(draft, paramKind, { verb, namespace, name }, 'spec.paramRef', why);
    });
  }

  async #require(
    draft: Draft,
    kind: ParamKind | undefined,
    of: Pick<RequestAttributes, 'verb' | 'namespace' | 'name'>,
    field: string,
    why: string,
  ): Promise<void> {
    const { caller, endpoint } = draft.request;
    if (await may(caller, { ...this.#resource(kind), ...of })) return;
    throw invalidObject(endpoint, draft.wanted, [forbiddenField(field, `user ${shown(caller)} ${why}`)]);
  }

  /** Returns the resource of a kind; stars for an unknown one, which only callers with the right to everything pass. */
  #resource(kind: ParamKind | undefined) {
    const parsed = kind && parseApiVersion(kind.apiVersion);
    if (!parsed) return { group: '*', version: '*', resource: '*' };
    const { group, version } = parsed;
    for (const { endpoint } of this.options.served.current.groups.get(group)?.values() ?? []) {
      const { definition } = endpoint;
      if (definition.kind === kind.kind && definition.version === version)
        return { group, version, resource: definition.resource };
    }
    return { group, version, resource: '*' };
  }
}

type Asked = Pick<RequestAttributes, 'verb' | 'group' | 'version' | 'resource' | 'namespace' | 'name'>;

const specOf = <T extends object>(object: ApiObject | undefined): Partial<T> => (object?.spec ?? {}) as Partial<T>;

/** Whether a caller may perform a request; false where that cannot be decided. */
async function may({ user, access }: Caller, asked: Asked): Promise<boolean> {
  if (!access) return false;
  const request = { ...asked, isResourceRequest: true, path: '', subresource: '' };
  try {
    return (await access.authorizer.authorize(user, request)).decision === 'allow';
  } catch {
    return false;
  }
}

/** A user as the reference writes it. */
function shown({ user }: Caller): string {
  const { name, uid = '', groups, extra } = user;
  const keys = Object.keys(extra).sort();
  const more = keys.map((key) => `${key}:[${(extra[key] ?? []).join(' ')}]`).join(' ');
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more}]}`;
}

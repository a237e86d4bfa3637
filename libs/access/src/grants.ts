import { isDeepStrictEqual } from 'node:util';
import {
  describeRules,
  MASTERS,
  namespaceOfRole,
  type PolicyRule,
  quotedList,
  type RbacPolicy,
  type RequestAttributes,
  type RoleRef,
  TooManyRulesError,
  uncovered,
} from '@orch/authorization';
import { type ApiObject, forbidden, notFound } from '@orch/machinery';
import type { Caller, Draft } from '@orch/writing';
import type { ApiBinding, ApiRole } from './policy-objects.js';

interface GrantsOptions {
  /** API group of roles and bindings. */
  readonly group: string;
  /** Current policy: callers may grant only rights that they hold. */
  readonly policy: RbacPolicy;
  /** Returns the current role; undefined where there is none. The namespace is empty for a ClusterRole. */
  readonly role: (namespace: string, name: string) => Promise<ApiRole | undefined>;
}

/** Most elementary rules that are compared one by one: their number is the product of the lists in a rule. */
const MOST_RULES = 20_000;
/** Rules that a refusal names. */
const MOST_NAMED = 500;

const EVERYTHING: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/**
 * Prevents privilege escalation: writers of roles and bindings may grant only rights that they hold, unless they are
 * allowed more (`escalate` on the role, `bind` on the role that is granted, or being an administrator).
 */
export class Grants {
  constructor(private readonly options: GrantsOptions) {}

  /** @throws StatusError 403; 404 for a referenced role that does not exist */
  check(draft: Draft): void | Promise<void> {
    const { endpoint, caller } = draft.request;
    const { group, resource } = endpoint.definition;
    if (group !== this.options.group || caller.user.groups.includes(MASTERS)) return undefined;
    if (resource === 'roles' || resource === 'clusterroles') return this.#checkRole(draft);
    if (resource === 'rolebindings' || resource === 'clusterrolebindings') return this.#checkBinding(draft);
    return undefined;
  }

  async #checkRole(draft: Draft): Promise<void> {
    const { endpoint, caller, key } = draft.request;
    const { group, resource } = endpoint.definition;
    // The name is that of the path, as for the request itself: empty for an object that is being created.
    const name = caller.access?.request.name ?? '';
    if (await allowed(caller, { verb: 'escalate', group, resource, namespace: key.namespace, name })) return;
    if (isOnlyOwned(draft)) return;
    const role = draft.wanted as ApiRole;
    this.#requireHeld(draft, role.rules ?? []);
    if (!aggregates(role) && !aggregates(draft.before as ApiRole | undefined)) return;
    if (this.#missing(caller, key.namespace, EVERYTHING).length > 0)
      throw forbidden(
        endpoint.groupResource,
        key.name,
        'must have cluster-admin privileges to use the aggregationRule',
      );
  }

  async #checkBinding(draft: Draft): Promise<void> {
    if (isOnlyOwned(draft)) return;
    const { caller, key } = draft.request;
    const { roleRef } = draft.wanted as ApiBinding;
    if (!roleRef) return;
    const resource = RESOURCE_OF[roleRef.kind];
    const bind = { verb: 'bind', group: roleRef.apiGroup, namespace: key.namespace, name: roleRef.name };
    if (resource !== undefined && (await allowed(caller, { ...bind, resource }))) return;
    this.#requireHeld(draft, await this.#rulesOf(roleRef, key.namespace));
  }

  async #rulesOf(roleRef: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
    const { group, role } = this.options;
    const resource = RESOURCE_OF[roleRef.kind];
    // The rules of the kind refuse it.
    if (resource === undefined) return [];
    const found = await role(namespaceOfRole(roleRef, namespace), roleRef.name);
    if (!found) throw notFound({ group, resource }, roleRef.name);
    return found.rules ?? [];
  }

  /** @throws StatusError 403 naming the rules that are not held */
  #requireHeld({ request: { endpoint, caller, key } }: Draft, rules: readonly PolicyRule[]): void {
    const missing = this.#missing(caller, key.namespace, rules);
    if (missing.length === 0) return;
    const { name, groups } = caller.user;
    const who = `user ${JSON.stringify(name)} (groups=${quotedList(groups)})`;
    const problem = this.options.policy.rulesFor(caller.user, key.namespace).error;
    const why = `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`;
    throw forbidden(endpoint.groupResource, key.name, problem === '' ? why : `${why}; resolution errors: [${problem}]`);
  }

  /** Describes the rules that a caller does not hold. */
  #missing({ user }: Caller, namespace: string, rules: readonly PolicyRule[]): string[] {
    try {
      const held = this.options.policy.rulesFor(user, namespace).rules;
      const missing = describeRules(uncovered(held, rules, MOST_RULES));
      const left = missing.length - MOST_NAMED;
      return left > 0 ? [...missing.slice(0, MOST_NAMED), `and ${left} more`] : missing;
    } catch (error) {
      if (!(error instanceof TooManyRulesError)) throw error;
      return [
        `more than ${MOST_RULES} combinations of what its rules list, or too many rules to compare them with, which are not held as a whole`,
      ];
    }
  }
}

const RESOURCE_OF: Readonly<Record<string, string>> = { ClusterRole: 'clusterroles', Role: 'roles' };

const aggregates = (role: ApiRole | undefined): boolean => Boolean(role?.aggregationRule?.clusterRoleSelectors?.length);

type Asked = Pick<RequestAttributes, 'verb' | 'group' | 'resource' | 'namespace' | 'name'>;

/** Whether a caller may perform another request beside its own; false where that cannot be decided. */
async function allowed({ user, access }: Caller, asked: Asked): Promise<boolean> {
  if (!access) return false;
  const request = { ...asked, isResourceRequest: true, path: '', version: '*', subresource: '' };
  try {
    return (await access.authorizer.authorize(user, request)).decision === 'allow';
  } catch {
    return false;
  }
}

/** Whether an update is about finalizers and owners alone: what collects garbage gives nothing to anybody. */
function isOnlyOwned({ wanted, before }: Draft): boolean {
  return before !== undefined && isDeepStrictEqual(unowned(wanted), unowned(before));
}

function unowned({ metadata, ...rest }: ApiObject): unknown {
  const {
    finalizers: _finalizers,
    ownerReferences: _owners,
    managedFields: _managed,
    resourceVersion: _version,
    ...others
  } = metadata ?? {};
  return JSON.parse(JSON.stringify({ ...rest, metadata: others }));
}

import {
  type ApiObject,
  badRequest,
  conflict,
  type FieldError,
  invalid,
  notFound,
  notSupported,
  required,
} from '@orch/machinery';
import { DeclaredModel, type ObjectModel } from '@orch/resources';
import type { Binding } from '@orch/schema/types/core/v1';
import { type RequestContext, type ResourceCall, sendStatus } from '@orch/serving';
import { callerOf, requireUid } from '@orch/writing';
import { admitSent, readSent, type SentObject } from '../bodies/sent-object.js';
import type { ApiDeps } from '../deps.js';
import { endpointOf } from './other-objects.js';
import { setPodCondition } from './pod-conditions.js';
import { CREATED } from './success.js';

/** POST of `pods/<name>/binding`. */
export async function bindPod(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  await bind(deps, ctx, call, await readSent(deps, ctx, call, bindingModel(deps)));
}

/** POST of `bindings`: the same, of the pod that the Binding names. */
export async function createBinding(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const sent = await readSent(deps, ctx, call, bindingModel(deps));
  const name = sent.object.metadata?.name ?? '';
  if (name === '') throw badRequest('Name parameter required.');
  // The one name that no path could hold.
  if (name.includes('\0')) throw notFound({ group: '', resource: 'pods' }, name);
  await bind(deps, ctx, { ...call, name }, sent);
}

const bindingModel = ({ scheme }: ApiDeps): ObjectModel =>
  new DeclaredModel({ group: '', version: 'v1', kind: 'Binding' }, scheme.struct('core/v1.Binding'));

/** @throws StatusError 400, 404, 409, 422; 403 from admission */
async function bind(deps: ApiDeps, ctx: RequestContext, call: ResourceCall, sent: SentObject): Promise<void> {
  const { namespace, name } = call;
  const { object, options } = sent;
  await admitSent(deps, ctx, call, sent, () => {
    if (object.metadata?.name !== name) throw badRequest('name in URL does not match name in Binding object');
    const errors = targetErrors(object);
    if (errors.length > 0) throw invalid('Binding', '', name, errors);
  });
  const endpoint = endpointOf(deps, '', 'pods');
  const key = { namespace, name };
  const caller = callerOf(ctx);
  const request = {
    operation: 'UPDATE',
    endpoint,
    key,
    subresource: 'binding',
    caller,
    options,
    changeKind: 'internal',
  } as const;
  const change = (pod: ApiObject): ApiObject => {
    requireUid(endpoint, object, pod);
    requireVersion(object, pod);
    return bound(pod, object);
  };
  const members = async () => {
    const base = await deps.store.get(endpoint.type, key);
    if (!base) throw notFound(endpoint.groupResource, name);
    return [{ request, base, change, admitted: true }];
  };
  if (!(await deps.sets.write(members, caller.deadline)))
    throw unbindable(name, 'the pod is being changed by too many others');
  sendStatus(ctx, CREATED, deps.representations);
}

function targetErrors(object: ApiObject): FieldError[] {
  const { kind = '', name = '' } = (object as Binding).target ?? {};
  return [
    ...(kind !== '' && kind !== 'Node' ? [notSupported('target.kind', kind, ['Node', '<empty>'])] : []),
    ...(name === '' ? [required('target.name')] : []),
  ];
}

/** Refuses a Binding whose resourceVersion is not that of the pod. @throws StatusError 409 */
function requireVersion({ metadata: wanted }: ApiObject, { metadata: live }: ApiObject): void {
  const version = wanted?.resourceVersion ?? '';
  if (version === '' || version === live?.resourceVersion) return;
  const broken = `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${live?.resourceVersion}`;
  throw conflict({ group: '', resource: 'pods' }, live?.name ?? '', broken);
}

/** The pod on its node. Mutates. @throws StatusError 409 for a pod that cannot be assigned (any more) */
function bound(pod: ApiObject, binding: ApiObject): ApiObject {
  const name = pod.metadata?.name ?? '';
  const spec = pod.spec as { nodeName?: string; schedulingGates?: unknown[] };
  if (pod.metadata?.deletionTimestamp !== undefined)
    throw unbindable(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) throw unbindable(name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if (spec.schedulingGates && spec.schedulingGates.length > 0)
    throw unbindable(name, `pod ${name} has non-empty .spec.schedulingGates`);
  spec.nodeName = (binding as Binding).target?.name ?? '';
  const annotations = { ...pod.metadata?.annotations, ...binding.metadata?.annotations };
  if (Object.keys(annotations).length > 0) pod.metadata = { ...pod.metadata, annotations };
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, Date.now());
  return pod;
}

const unbindable = (name: string, why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);

import type { Admission } from '@orch/admission';
import {
  type ApiObject,
  badRequest,
  conflict,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '@orch/machinery';
import { DeclaredModel, type Endpoint, type ObjectModel } from '@orch/resources';
import { systemClock } from '@orch/runtime';
import type { Scheme } from '@orch/schema';
import type { Binding } from '@orch/schema/types/core/v1';
import type { Caller } from '../pipeline/caller.js';
import type { WritePipeline } from '../pipeline/write-pipeline.js';
import { namedVersion, requireUid } from '../stages/object-checks.js';
import { setPodCondition } from './pod-conditions.js';
import { type ActionTarget, admitAction, type SentAction } from './sent-action.js';

/** Dependencies of {@link bindPod}. */
export interface BindingTools {
  /** Admits Bindings. */
  readonly admission: Admission;
  /** Writes pods. */
  readonly pipeline: WritePipeline;
}

/** Schema of Bindings. */
export const bindingModel = (scheme: Scheme): ObjectModel =>
  new DeclaredModel({ group: '', version: 'v1', kind: 'Binding' }, scheme.struct('core/v1.Binding'));

/**
 * Assigns a pod to the node that a Binding names.
 * @param pods endpoint of pods
 * @param target resource that the Binding was sent to, with the name of the pod
 * @throws StatusError 400, 404, 409, 422; 403 from admission
 */
export async function bindPod(
  { admission, pipeline }: BindingTools,
  pods: Endpoint,
  target: ActionTarget,
  sent: SentAction,
  caller: Caller,
): Promise<void> {
  const { namespace, name } = target;
  const { object, options } = sent;
  await admitAction(admission, caller, target, sent, () => checkBinding(object, name));
  const key = { namespace, name };
  const hints = { namesVersion: namedVersion(object) !== '' };
  const how = { subresource: 'binding', changeKind: 'internal', admitted: true, hints } as const;
  const change = (pod: ApiObject): ApiObject => {
    requireUid(pods, object, pod);
    requireVersion(object, pod);
    return bound(pod, object);
  };
  await pipeline.write({ operation: 'UPDATE', endpoint: pods, key, caller, options, ...how }, { change });
}

/** @throws StatusError 400, 422 */
function checkBinding(object: ApiObject, name: string): void {
  if (object.metadata?.name !== name) throw badRequest('name in URL does not match name in Binding object');
  const errors = targetErrors(object);
  if (errors.length > 0) throw invalid('Binding', '', name, errors);
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
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, systemClock.wall());
  return pod;
}

const unbindable = (name: string, why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);

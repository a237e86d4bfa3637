import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '@orch/schema/types/core/v1';

/** Whether a pod has changed in a way that could make it schedulable: in anything but its status and its owners of fields. */
export function specChanged(before: Pod, after: Pod): boolean {
  return !isDeepStrictEqual(comparable(before), comparable(after));
}

function comparable({ metadata = {}, spec }: Pod): unknown {
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _fields,
    finalizers: _held,
    ...rest
  } = metadata;
  return { metadata: rest, spec };
}

/** Whether a pod on a node has changed in what the scheduler counts of it: labels, requests, whether it is on its way out. */
export function placementChanged(before: Pod, after: Pod): boolean {
  const [was, is] = [before.metadata ?? {}, after.metadata ?? {}];
  if ((was.deletionTimestamp === undefined) !== (is.deletionTimestamp === undefined)) return true;
  return !isDeepStrictEqual(was.labels, is.labels) || !isDeepStrictEqual(before.spec, after.spec);
}

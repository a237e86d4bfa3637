import type { ObjectReference, Pod } from '@orch/schema/types/core/v1';

/** An event about a pod. */
export interface PodEvent {
  /** Whether it is as it should be. */
  readonly type: 'Normal' | 'Warning';
  /** A CamelCase word: `Scheduled`. */
  readonly reason: string;
  /** The action that was done or tried: `Binding`, `Scheduling`, `Preempting`. */
  readonly action: string;
  /** At most {@link MAX_NOTE} characters; what is longer is cut. */
  readonly note: string;
  /** A second pod that took part. */
  readonly related?: Pod;
}

/** Records events about pods; never rejects and never waits. */
export interface EventRecorder {
  /** @param controller name of the profile that reports it */
  record(pod: Pod, event: PodEvent, controller: string): void;
}

/** The longest note of an event, characters (spec of events.k8s.io). */
const MAX_NOTE = 1_024;
const CUT = ' ...';

/** Cuts a note that is too long. */
export function cutNote(note: string): string {
  return note.length <= MAX_NOTE ? note : note.slice(0, MAX_NOTE - CUT.length) + CUT;
}

/** Names a pod in an event. */
export function referenceTo({ metadata = {} }: Pod): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

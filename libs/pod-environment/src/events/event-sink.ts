import type { Pod } from '@orch/schema/types/core/v1';
import type { ContainerKind } from '../identity.js';

/** Kind of an event: as expected, or a problem. */
export type EventType = 'Normal' | 'Warning';

/** Receives what is to be reported as Events of the API. Calls return at once and never throw. */
export interface EventSink {
  /** Reports about a pod. @param container path of the container in the spec that it is about */
  ofPod(pod: Pod, type: EventType, reason: string, message: string, container?: string): void;
  /** Reports about the node. */
  ofNode(type: EventType, reason: string, message: string): void;
  /** Notes that a pod is gone, of which hardly anything will be reported any more. */
  forget?(pod: Pod): void;
}

const LIST: Readonly<Record<ContainerKind, string>> = {
  init: 'initContainers',
  regular: 'containers',
  ephemeral: 'ephemeralContainers',
};

/** Returns the path of a container in its pod's spec: `spec.containers{web}`. */
export const containerPath = (kind: ContainerKind, name: string): string => `spec.${LIST[kind]}{${name}}`;

import type { ResourceRef } from '@orch/client';

/** Nodes that pods are scheduled on. */
export const NODES: ResourceRef = { group: '', version: 'v1', resource: 'nodes' };
/** Pods of the namespace of the measurement. */
export const PODS: ResourceRef = { group: '', version: 'v1', resource: 'pods', namespace: 'default' };
/** Priorities of pods. */
export const PRIORITY_CLASSES: ResourceRef = {
  ...{ group: 'scheduling.k8s.io', version: 'v1' },
  resource: 'priorityclasses',
};

/** Resources whose changes can make a pod schedulable. */
export type EventResource =
  | 'Pod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | '*';

/** Kinds of changes, as bits. */
export const ACTION = {
  add: 1,
  delete: 2,
  updateAllocatable: 4,
  updateLabels: 8,
  updateTaints: 16,
  updateConditions: 32,
  /** Any update. */
  update: 4 | 8 | 16 | 32,
  /** Any change. */
  all: 63,
} as const;

/** A change, or the changes that a plugin wants to hear of. */
export interface ClusterEvent {
  /** Kind of the objects that have changed. */
  readonly resource: EventResource;
  /** Bits of {@link ACTION}. */
  readonly actions: number;
}

/** Whether a change is one of those that are meant. */
export function meansEvent(meant: ClusterEvent, { resource, actions }: ClusterEvent): boolean {
  if (resource === '*' || meant.resource === '*') return true;
  return meant.resource === resource && (meant.actions & actions) !== 0;
}

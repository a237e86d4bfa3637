import { type FieldError, invalidValue } from '@orch/machinery';
import type { DaemonSet, DaemonSetStatus, Deployment, ReplicaSet, StatefulSet } from '@orch/schema/types/apps/v1';
import type { ReplicationController } from '@orch/schema/types/core/v1';
import { nonNegativeMembers } from '../rules/checks.js';
import type { NameOf } from '../values/fields.js';

const OF_DEPLOYMENT = ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const;
const OF_REPLICA_SET = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
const OF_STATEFUL_SET = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
const OF_DAEMON_SET: readonly NameOf<DaemonSetStatus>[] = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

/** Checks of what a controller reports of a workload: no count is negative, and no part is more than the whole. */

export const validateDeploymentStatus = (object: Deployment, old: Deployment): FieldError[] => [
  ...nonNegativeMembers(object.status, 'status', [
    'observedGeneration',
    'replicas',
    ...OF_DEPLOYMENT,
    'unavailableReplicas',
    'collisionCount',
  ]),
  ...atMost(object.status, OF_DEPLOYMENT),
  ...validateCollisions(object, old),
];

/** ReplicaSets and ReplicationControllers. */
export const validateReplicaStatus = ({ status }: ReplicaSet | ReplicationController): FieldError[] => [
  ...nonNegativeMembers(status, 'status', ['replicas', ...OF_REPLICA_SET, 'observedGeneration']),
  ...atMost(status, OF_REPLICA_SET),
];

/** Checks the counts in the status of a StatefulSet, and that its collision count does not fall. */
export const validateStatefulSetStatus = (object: StatefulSet, old: StatefulSet): FieldError[] => [
  ...nonNegativeMembers(object.status, 'status', [
    'replicas',
    ...OF_STATEFUL_SET,
    'observedGeneration',
    'collisionCount',
  ]),
  ...atMost(object.status, OF_STATEFUL_SET),
  ...validateCollisions(object, old),
];

/** Checks the counts in the status of a DaemonSet, and that its collision count does not fall. */
export const validateDaemonSetStatus = (object: DaemonSet, old: DaemonSet): FieldError[] => [
  ...nonNegativeMembers(object.status, 'status', OF_DAEMON_SET),
  ...validateCollisions(object, old),
];

/** Numbers of pods that a workload has: of all, and of those that are so far. */
type Counts<N extends string> = { readonly [name in N | 'replicas' | 'availableReplicas' | 'readyReplicas']?: number };

function atMost<N extends string>(status: Counts<N> | undefined, names: readonly N[]): FieldError[] {
  const errors = names
    .map((name) => ({ name, count: status?.[name] ?? 0 }))
    .filter(({ count }) => count > (status?.replicas ?? 0))
    .map(({ name, count }) => invalidValue(`status.${name}`, count, 'cannot be greater than status.replicas'));
  const available = status?.availableReplicas ?? 0;
  if (available <= (status?.readyReplicas ?? 0)) return errors;
  return [...errors, invalidValue('status.availableReplicas', available, unready(names))];
}

/** Returns the message for a wrong number of ready replicas, for which clients know two names. */
const unready = (names: unknown): string =>
  `cannot be greater than ${names === OF_STATEFUL_SET ? 'status.readyReplicas' : 'readyReplicas'}`;

function validateCollisions(
  object: Deployment | StatefulSet | DaemonSet,
  old: Deployment | StatefulSet | DaemonSet,
): FieldError[] {
  const [now, was] = [object, old].map(({ status }) => status?.collisionCount ?? 0) as [number, number];
  return now < was ? [invalidValue('status.collisionCount', now, 'cannot be decremented')] : [];
}

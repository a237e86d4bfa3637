import { type ApiObject, type FieldError, invalidValue } from '@orch/machinery';
import { nonNegativeMembers } from '../rules/checks.js';
import { countAt } from '../values/fields.js';

const OF_DEPLOYMENT = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
const OF_REPLICA_SET = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];
const OF_STATEFUL_SET = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
const OF_DAEMON_SET = [
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

/** What a controller reports of a workload: no count is negative, and no part is more than the whole. */

export const validateDeploymentStatus = (object: ApiObject, old: ApiObject): FieldError[] => [
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
export const validateReplicaStatus = ({ status }: ApiObject): FieldError[] => [
  ...nonNegativeMembers(status, 'status', ['replicas', ...OF_REPLICA_SET, 'observedGeneration']),
  ...atMost(status, OF_REPLICA_SET),
];

export const validateStatefulSetStatus = (object: ApiObject, old: ApiObject): FieldError[] => [
  ...nonNegativeMembers(object.status, 'status', [
    'replicas',
    ...OF_STATEFUL_SET,
    'observedGeneration',
    'collisionCount',
  ]),
  ...atMost(object.status, OF_STATEFUL_SET),
  ...validateCollisions(object, old),
];

export const validateDaemonSetStatus = (object: ApiObject, old: ApiObject): FieldError[] => [
  ...nonNegativeMembers(object.status, 'status', OF_DAEMON_SET),
  ...validateCollisions(object, old),
];

function atMost(status: unknown, names: readonly string[]): FieldError[] {
  const errors = names
    .filter((name) => countAt(status, name) > countAt(status, 'replicas'))
    .map((name) => invalidValue(`status.${name}`, countAt(status, name), 'cannot be greater than status.replicas'));
  const available = countAt(status, 'availableReplicas');
  if (available <= countAt(status, 'readyReplicas')) return errors;
  return [...errors, invalidValue('status.availableReplicas', available, unready(names))];
}

/** Messages name the count of what is ready in two ways, as clients know them. */
const unready = (names: readonly string[]): string =>
  `cannot be greater than ${names === OF_STATEFUL_SET ? 'status.readyReplicas' : 'readyReplicas'}`;

function validateCollisions(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, was] = [object, old].map(({ status }) => countAt(status, 'collisionCount')) as [number, number];
  return now < was ? [invalidValue('status.collisionCount', now, 'cannot be decremented')] : [];
}

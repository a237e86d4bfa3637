import { type ApiObject, ensureMetadata, type JsonObject, type Names } from '@orch/machinery';
import { ensureObject } from '../values/fields.js';
import { type DefinitionCondition, withConditions } from './accepted-names.js';

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = (names: Names): string =>
  `customresourcecleanup.${names.group('apiextensions.orch.io')}`;

const terminating = (status: 'True' | 'False', reason: string, message: string): DefinitionCondition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});

/** Progress of the deletion of a definition, as in its condition `Terminating`. */
export const TERMINATION = {
  pending: terminating(
    'True',
    'InstanceDeletionPending',
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  ),
  inProgress: terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'),
  completed: terminating('False', 'InstanceDeletionCompleted', 'removed all instances'),
  neverEstablished: terminating('False', 'NeverEstablished', 'resource was never established'),
  overlapping: terminating(
    'False',
    'OverlappingBuiltInResource',
    'instances overlap with built-in resources in storage',
  ),
  /** Objects could not be deleted. */
  failed: (why: string) => terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${why}`),
  /** Objects are still there. */
  remaining: (why: string) =>
    terminating('True', 'InstanceDeletionCheck', `could not confirm zero CustomResources remaining: ${why}`),
} as const;

/** Makes a definition whose deletion begins wait for its objects. Mutates. */
export function beginTermination(object: ApiObject, names: Names): void {
  const meta = ensureMetadata(object);
  const finalizer = cleanupFinalizer(names);
  const finalizers = meta.finalizers ?? [];
  if (!finalizers.includes(finalizer)) meta.finalizers = [...finalizers, finalizer];
  const since = Date.parse(meta.deletionTimestamp ?? '');
  ensureObject(object, 'status').conditions = withConditions(object as JsonObject, [TERMINATION.pending], since);
}

import type { DefinitionCondition } from './accepted-names.js';

const migrating = (status: 'True' | 'False', reason: string, message: string): DefinitionCondition => ({
  type: 'StorageMigrating',
  status,
  reason,
  message,
});

/**
 * Progress of the migration of objects to the storage version, as states of the condition `StorageMigrating` of a
 * definition.
 */
export const MIGRATION = {
  inProgress: (rewritten: number) =>
    migrating('True', 'InProgress', `objects are being written in the storage version: ${rewritten} so far`),
  /** Objects could not be written; it is tried again. */
  failed: (failed: number, why: string) =>
    migrating('True', 'Failed', `${failed} ${failed === 1 ? 'object' : 'objects'} could not be written: ${why}`),
  completed: (rewritten: number) =>
    migrating('False', 'Completed', `all objects are in the storage version; ${rewritten} had to be written`),
} as const;

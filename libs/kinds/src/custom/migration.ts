import type { DefinitionCondition } from './accepted-names.js';

const migrating = (status: 'True' | 'False', reason: string, message: string): DefinitionCondition => ({
  type: 'StorageMigrating',
  status,
  reason,
  message,
});

/** How far objects have been brought to the version that is stored now, as the condition `StorageMigrating` of a definition tells it. */
export const MIGRATION = {
  inProgress: (rewritten: number) =>
    migrating('True', 'InProgress', `objects are being written in the storage version: ${rewritten} so far`),
  /** Objects could not be written; it is tried again. */
  failed: (failed: number, why: string) =>
    migrating('True', 'Failed', `${failed} ${failed === 1 ? 'object' : 'objects'} could not be written: ${why}`),
  completed: (rewritten: number) =>
    migrating('False', 'Completed', `all objects are in the storage version; ${rewritten} had to be written`),
} as const;

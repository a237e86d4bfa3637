import type { Misfit } from '../values/fit.js';

/** Entries of `metadata.managedFields` that cannot be read. Who writes them has those that were there kept. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/**
 * An object that cannot be applied, or not be applied to: it does not fit its schema. The message has the paths in the
 * reference's form.
 */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';

  constructor(
    message: string,
    /** Fields that do not fit; empty when the kind or the entries of the object are wrong instead. */
    readonly misfits: readonly Misfit[] = [],
  ) {
    super(message);
  }
}

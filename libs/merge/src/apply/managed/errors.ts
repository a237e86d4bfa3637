import type { Misfit } from '../values/fit.js';

/**
 * Thrown when entries of `metadata.managedFields` cannot be read. A write with such entries keeps the previous ones.
 */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/**
 * Thrown when an object does not fit its schema, and so cannot be applied or applied to. The message has the paths in
 * the reference's form.
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

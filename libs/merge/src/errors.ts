/** Reason why a patch is invalid, or cannot be applied to this document. */
export type PatchReason =
  | 'not-a-patch'
  | 'unknown-operation'
  | 'missing-path'
  | 'index'
  | 'test-failed'
  | 'too-large'
  | 'bad-directive'
  | 'order-mismatch'
  | 'missing-merge-key'
  | 'unknown-field'
  | 'mixed-list';

/** Base class of the errors of refused patches. */
export abstract class PatchError extends Error {
  constructor(
    /** Machine-readable reason; the message says the same. */
    readonly reason: PatchReason,
    message: string,
  ) {
    super(message);
  }
}

/** Thrown when a document is not a patch of its type, whatever it is applied to: a 400. */
export class MalformedPatchError extends PatchError {
  override readonly name = 'MalformedPatchError';
}

/** Thrown when a well-formed patch does not fit this object: a 422. */
export class UnprocessablePatchError extends PatchError {
  override readonly name = 'UnprocessablePatchError';
}

/** Thrown when a patch has more operations than are allowed: a 413. */
export class PatchTooLargeError extends PatchError {
  override readonly name = 'PatchTooLargeError';
}

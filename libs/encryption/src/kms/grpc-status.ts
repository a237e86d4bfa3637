/** Names of the codes of gRPC, by number. */
const CODES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** A code of gRPC, by its name. */
export type GrpcCode = (typeof CODES)[number];

/**
 * What is not otherwise when it is asked again, unless somebody does something: who says so has looked at what was asked. All else may
 * pass, `Unknown` and `Internal` among it: plugins in Go answer so to whatever goes wrong between them and their service. So does
 * `Unauthenticated`: a plugin passes it on where its own token has run out, which it renews.
 */
const LASTING: ReadonlySet<GrpcCode> = new Set([
  'InvalidArgument',
  'NotFound',
  'PermissionDenied',
  // As gRPC defines it: not to be tried again before the state of things has been set right, as that of a disabled key.
  'FailedPrecondition',
  'Unimplemented',
]);

/** Nobody has answered, or not yet: nothing was judged. */
const UNANSWERED: ReadonlySet<GrpcCode> = new Set(['Canceled', 'DeadlineExceeded', 'Unavailable']);

/** A call was answered with an error, or not at all. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  constructor(
    readonly code: GrpcCode,
    description: string,
    options?: ErrorOptions,
  ) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
  }

  /** Whether it may pass by itself. */
  get passing(): boolean {
    return !LASTING.has(this.code);
  }

  /** Whether it says nothing of what was asked. */
  get unanswered(): boolean {
    return UNANSWERED.has(this.code);
  }
}

/** The code of a number; one that there is not is unknown. */
export const codeOf = (number: string | undefined): GrpcCode => CODES[Number(number ?? 2)] ?? 'Unknown';

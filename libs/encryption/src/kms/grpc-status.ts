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
 * Codes that will not change on a retry unless somebody intervenes: the service has processed the request. All others
 * may be transient, `Unknown` and `Internal` among them: plugins in Go answer so for any failure between them and their
 * service. So may `Unauthenticated`: a plugin forwards it when its own token has expired, which it renews.
 */
const LASTING: ReadonlySet<GrpcCode> = new Set([
  'InvalidArgument',
  'NotFound',
  'PermissionDenied',
  // gRPC defines it as not to be retried before the state has been fixed, as for a disabled key.
  'FailedPrecondition',
  'Unimplemented',
]);

/** Codes that mean that no answer has come, or not yet: the request was not judged. */
const UNANSWERED: ReadonlySet<GrpcCode> = new Set(['Canceled', 'DeadlineExceeded', 'Unavailable']);

/** Thrown when a call was answered with an error, or not at all. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  constructor(
    readonly code: GrpcCode,
    description: string,
    options?: ErrorOptions,
  ) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
  }

  /** Whether it may be transient. */
  get passing(): boolean {
    return !LASTING.has(this.code);
  }

  /** Whether the request was not judged. */
  get unanswered(): boolean {
    return UNANSWERED.has(this.code);
  }
}

/** Returns the code of a number; an undefined number is `Unknown`. */
export const codeOf = (number: string | undefined): GrpcCode => CODES[Number(number ?? 2)] ?? 'Unknown';

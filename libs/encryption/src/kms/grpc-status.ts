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

/** What may be otherwise when it is asked again. */
const PASSING: ReadonlySet<GrpcCode> = new Set([
  'Canceled',
  'DeadlineExceeded',
  'ResourceExhausted',
  'Aborted',
  'Unavailable',
]);

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
    return PASSING.has(this.code);
  }
}

/** The code of a number; one that there is not is unknown. */
export const codeOf = (number: string | undefined): GrpcCode => CODES[Number(number ?? 2)] ?? 'Unknown';

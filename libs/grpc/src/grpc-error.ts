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

/** Thrown when a call was answered with an error, or not at all. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';

  /** @param description in the words of the service */
  constructor(
    readonly code: GrpcCode,
    readonly description: string,
    options?: ErrorOptions,
  ) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
  }
}

/** Returns the code of a number; an undefined number is `Unknown`. */
export const codeOf = (number: number): GrpcCode => CODES[number] ?? 'Unknown';

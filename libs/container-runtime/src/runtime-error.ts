import type { GrpcCode } from '@orch/grpc';

/** A code of a runtime's errors, which are those of gRPC. */
export type RuntimeErrorCode = Exclude<GrpcCode, 'OK'>;

/** Thrown by every method of a runtime that fails. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';

  /**
   * @param code for programs
   * @param description for people, in the runtime's words
   */
  constructor(
    readonly code: RuntimeErrorCode,
    readonly description: string,
    options?: ErrorOptions,
  ) {
    super(`rpc error: code = ${code} desc = ${description}`, options);
  }
}

/**
 * Thrown by `createContainer` and `runSandbox` of a runtime that cannot provide what a configuration requires, and does
 * not start the container without it. Code `InvalidArgument`.
 */
export class UnsupportedFieldError extends RuntimeError {
  /**
   * @param field path of the field as in a pod, as `securityContext.seccompProfile`
   * @param reason why it cannot be provided
   */
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super('InvalidArgument', `${field}: ${reason}`);
  }
}

/** Returns whether an error means that the sandbox, container or image does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof RuntimeError && error.code === 'NotFound';

/** Returns whether an error means that the runtime could not be reached: the call may or may not have been executed. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof RuntimeError && (error.code === 'Unavailable' || error.code === 'DeadlineExceeded');

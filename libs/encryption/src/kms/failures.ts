import type { GrpcCode, GrpcError } from '@orch/grpc';

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

/** Returns whether a service's error may be transient. */
export const isPassing = ({ code }: GrpcError): boolean => !LASTING.has(code);

/** Returns whether a request was not judged. */
export const isUnanswered = ({ code }: GrpcError): boolean => UNANSWERED.has(code);

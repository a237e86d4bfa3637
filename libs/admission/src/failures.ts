import { StatusError } from '@orch/machinery';

/** Returns a 500 for a plugin that cannot decide. */
export const internalFailure = (why: string): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${why}`);

/**
 * Returns a 500 with the text alone, as the reference answers refusals of its plugins that are no Status. Only the text
 * shows clients that it is a refusal.
 */
export function plainFailure(message: string): StatusError {
  const error = new StatusError('InternalError', message);
  delete error.status.reason;
  return error;
}

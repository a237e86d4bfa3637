import { StatusError } from '@orch/machinery';

/** 500: a plugin cannot tell. */
export const internalFailure = (why: string): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${why}`);

/**
 * What the reference answers for refusals of its plugins that are no Status: 500 with the text alone. That they are refusals, clients see by
 * the text only.
 */
export function plainFailure(message: string): StatusError {
  const error = new StatusError('InternalError', message);
  delete error.status.reason;
  return error;
}

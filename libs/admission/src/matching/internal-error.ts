import { StatusError } from '@orch/machinery';

/** Returns a 500 in the words of the reference for a failure before an answer was reached. */
export const internalError = (why: string): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });

import { StatusError } from '@orch/machinery';

/** 500, as the reference tells of what went wrong on the way to an answer. */
export const internalError = (why: string): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });

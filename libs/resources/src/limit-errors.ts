import { StatusError } from '@orch/machinery';
import { BusyStoreError } from '@orch/storage';

/** Limits whose refusals are thrown elsewhere than they are counted. */
export const THROWN_LIMITS = ['size', 'body-time', 'lists', 'conversions', 'write-queue'] as const;
/** Name of a limit whose refusals are thrown elsewhere than they are counted. */
export type ThrownLimit = (typeof THROWN_LIMITS)[number];

const limits = new WeakMap<Error, ThrownLimit>();

/** Attaches to an error the limit that it is counted under when the request is answered. @returns the error */
export function dueTo<E extends Error>(limit: ThrownLimit, error: E): E {
  limits.set(error, limit);
  return error;
}

/**
 * Returns the limit that caused an error; undefined for other errors, and for those that are counted where they are
 * thrown.
 */
export function limitBehind(error: unknown): ThrownLimit | undefined {
  if (error instanceof BusyStoreError) return 'write-queue';
  if (!(error instanceof StatusError)) return undefined;
  if (error.code === 413) return 'size';
  return error.code === 408 ? 'body-time' : limits.get(error);
}

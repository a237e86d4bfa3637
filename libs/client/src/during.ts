import { TransportError } from './errors.js';

/** Converts failures of the connection to {@link TransportError}; an abort keeps the signal's reason. */
export async function during<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof TransportError) throw error;
    throw new TransportError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * Returns the result of `work`, unless `signal` aborts first: then its reason is thrown, and the work goes on for
 * others.
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

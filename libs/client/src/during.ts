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

import { CacheUnloadedError } from '@orch/watchcache';

/** Maximum number of tries; requests for a kind that changes faster than it can be read are told to retry. */
const MOST_TRIES = 10;

/**
 * Runs an operation on a type's state in memory, and retries it when that is unloaded meanwhile: a changed definition
 * does not fail requests in progress. The operation must get the state anew each time.
 * @throws CacheUnloadedError when it is unloaded each time; other errors of the operation
 */
export async function retryUnloaded<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CacheUnloadedError) || tries === MOST_TRIES) throw error;
    }
  }
}

import { CacheUnloadedError } from '@orch/watchcache';

/** Times that it is tried; a kind that changes faster than it can be read has its requests told to come again. */
const MOST_TRIES = 10;

/**
 * Does something with a type's state in memory, again where that is unloaded meanwhile: a kind that others change does not fail
 * requests that are under way. What is tried must ask for the state each time.
 * @throws CacheUnloadedError where it is unloaded each time; what else the attempt throws
 */
export async function thoughUnloaded<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CacheUnloadedError) || tries === MOST_TRIES) throw error;
    }
  }
}

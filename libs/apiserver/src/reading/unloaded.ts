import { CacheUnloadedError } from '@orch/watchcache';

/**
 * Does something with a type's state in memory, again where that is unloaded meanwhile: a kind that others change does not fail
 * requests that are under way. What is tried must ask for the state each time.
 */
export async function thoughUnloaded<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CacheUnloadedError)) throw error;
    }
  }
}

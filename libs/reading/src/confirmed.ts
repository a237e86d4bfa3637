import { UnreadableChangesError } from '@orch/storage';
import type { TypeCache } from '@orch/watchcache';

/**
 * Waits until memory has everything that was committed before the call. False when a change cannot be opened for now:
 * memory waits for an object whose key is unavailable, and the caller must ask the database, which shows whether that
 * affects the request.
 * @throws other errors of {@link TypeCache.confirm}
 */
export async function isConfirmed(cache: Pick<TypeCache, 'confirm'>): Promise<boolean> {
  try {
    await cache.confirm();
    return true;
  } catch (error) {
    if (error instanceof UnreadableChangesError) return false;
    throw error;
  }
}

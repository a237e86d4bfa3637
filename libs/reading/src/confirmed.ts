import { UnreadableChangesError } from '@orch/storage';
import type { TypeCache } from '@orch/watchcache';

/**
 * Has memory learn all that was committed before the call. False where a change cannot be opened for now: memory is held up by an object
 * whose key is not to be had, and the database is to be asked, which tells whether that concerns the request.
 * @throws what {@link TypeCache.confirm} throws beside that
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

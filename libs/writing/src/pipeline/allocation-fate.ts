import type { Allocation } from '@orch/kinds';
import { StoreUnavailableError } from '@orch/storage';

/** What became of a write. */
export type Fate = 'kept' | 'dropped' | 'unknown';

export const fateAfter = (error: unknown): Fate =>
  error instanceof StoreUnavailableError && error.undecided ? 'unknown' : 'dropped';

/** Of a write that may have been committed nothing is given back: nobody else may get what it may hold. */
export async function conclude(allocation: Allocation, fate: Fate): Promise<void> {
  if (fate === 'kept') await giveBack(allocation.settle());
  if (fate === 'dropped') await giveBack(allocation.undo());
}

/** What cannot be given back now stays taken, which harms less than a wrong answer to a write that has been decided. */
export const giveBack = (giving: Promise<void>): Promise<void> => giving.catch(() => undefined);

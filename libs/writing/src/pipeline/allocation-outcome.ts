import type { Allocation } from '@orch/kinds';
import { StoreUnavailableError } from '@orch/storage';

/**
 * Outcome of a write for the values that were allocated for it: they are held, are free again, or that is not known.
 */
export type AllocationOutcome = 'kept' | 'dropped' | 'unknown';

/** Returns the outcome of a write that failed: one that the store has not decided may have been committed. */
export const outcomeAfter = (error: unknown): AllocationOutcome =>
  error instanceof StoreUnavailableError && error.undecided ? 'unknown' : 'dropped';

/**
 * Settles or releases an allocation once the outcome of its write is known. After a write that may have been committed
 * nothing is released: no other object may get a value that it may hold.
 */
export async function conclude(allocation: Allocation, outcome: AllocationOutcome): Promise<void> {
  if (outcome === 'kept') await giveBack(allocation.settle());
  if (outcome === 'dropped') await giveBack(allocation.undo());
}

/**
 * Ignores a failure to release: the value stays claimed, which does less harm than an error for a write that has been
 * decided.
 */
export const giveBack = (giving: Promise<void>): Promise<void> => giving.catch(() => undefined);

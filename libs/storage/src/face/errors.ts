import type { Version } from './key.js';

/** Thrown when a version is below the type's floor, or of a lost history: answered with 410. */
export class HistoryExpiredError extends Error {
  override readonly name = 'HistoryExpiredError';
  constructor(
    /** The version that was asked for. */
    readonly requested: Version,
    /** The type's floor at that time, see {@link Head.floor}. */
    readonly floor: Version,
    /** The type's head at that time. */
    readonly head: Version,
  ) {
    super(`version ${requested} is older than the history held (${floor})`);
  }
}

/** Thrown when the database cannot be reached or does not decide in time: answered with 503 or 504 and Retry-After. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  constructor(
    message: string,
    /** True when a write may or may not have been committed. */
    readonly undecided: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Thrown when too much waits for the database already: the operation was not begun. */
export class BusyStoreError extends StoreUnavailableError {
  constructor() {
    super('too many requests wait for the database', false);
  }
}

/** Thrown for a write in a process whose database role may only read: other processes must do it. */
export class ReadOnlyStoreError extends StoreUnavailableError {}

import type { Version } from './key.js';

/** The version asked for is below the type's floor, or of a history that the database has left: answer 410. */
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

/** The database could not be reached or did not decide in time: answer 503 or 504 with Retry-After. */
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

/** Too much waits for the database already: what was asked for was not begun. */
export class BusyStoreError extends StoreUnavailableError {
  constructor() {
    super('too many requests wait for the database', false);
  }
}

/** A write came to a process whose database role may only read: it is for others. */
export class ReadOnlyStoreError extends StoreUnavailableError {}

import type { Key, TypeId, Version } from '@orch/storage';

/** History does not hold the version asked for, any more or at all: answer 410 before the stream starts. */
export class ExpiredError extends Error {
  override readonly name = 'ExpiredError';
  constructor(
    /** What was asked for. */
    readonly requested: Version,
    /** The least version that a watch could start after when this was thrown. */
    readonly floor: Version,
  ) {
    super(`version ${requested} is not in the history held (from ${floor})`);
  }
}

/** The version asked for was not reached in time: answer 504 with cause ResourceVersionTooLarge. */
export class VersionNotReachedError extends Error {
  override readonly name = 'VersionNotReachedError';
  constructor(
    /** What was asked for. */
    readonly requested: Version,
    /** The version that the state had then. */
    readonly current: Version,
  ) {
    super(`version ${requested} has not been reached (${current})`);
  }
}

/** The state of the type is not held here: answer 429 with Retry-After, or read the database. */
export class CacheNotReadyError extends Error {
  override readonly name: string = 'CacheNotReadyError';
}

/** The state has been unloaded since it was asked for: the cache has another one, or is closed. */
export class CacheUnloadedError extends CacheNotReadyError {
  override readonly name = 'CacheUnloadedError';
}

/** The selectors of watches of the type say too much already: answer 429. */
export class SelectorBudgetError extends Error {
  override readonly name = 'SelectorBudgetError';
}

/** Watches are reading as much of their initial state as they may: answer 429. */
export class InitialBudgetError extends Error {
  override readonly name = 'InitialBudgetError';
}

/** The server is going down and takes no more watches: another one does. */
export class CacheDrainingError extends CacheNotReadyError {
  override readonly name = 'CacheDrainingError';
}

/** The state in memory is not what the database has at the same version: a defect, healed by reading it anew. */
export class StateMismatchError extends Error {
  override readonly name = 'StateMismatchError';
  constructor(
    /** The type whose state was dropped. */
    readonly type: TypeId,
    /** Version at which both were compared. */
    readonly version: Version,
    /** The first object that differs. */
    readonly key: Key,
  ) {
    super(
      `the cached state of type ${type} differs from the database at version ${version}: ${key.namespace}/${key.name}`,
    );
  }
}

/** An object is not in the version that is served, though others are: whoever would see it is told why. */
export class FailedObjectError extends Error {
  override readonly name = 'FailedObjectError';
  constructor(
    /** What kept it from being brought there. */
    readonly failure: Error,
  ) {
    super('the object is not there in the version that is served');
  }
}

/** Somebody looks at a state before a change who had said that it would not be: a defect. */
export class UnreadStateError extends Error {
  override readonly name = 'UnreadStateError';
  constructor() {
    super('the state before the change was not read');
  }
}

import type { Key, TypeId, Version } from '@orch/storage';

/** Thrown when history does not hold the requested version (any more): answered with 410 before the stream starts. */
export class ExpiredError extends Error {
  override readonly name = 'ExpiredError';
  constructor(
    /** The version that was asked for. */
    readonly requested: Version,
    /** The least version that a watch could start after when this was thrown. */
    readonly floor: Version,
  ) {
    super(`version ${requested} is not in the history held (from ${floor})`);
  }
}

/** Thrown when the requested version was not reached in time: answered with 504, cause ResourceVersionTooLarge. */
export class VersionNotReachedError extends Error {
  override readonly name = 'VersionNotReachedError';
  constructor(
    /** The version that was asked for. */
    readonly requested: Version,
    /** The version that the state had then. */
    readonly current: Version,
  ) {
    super(`version ${requested} has not been reached (${current})`);
  }
}

/** Thrown when the state of the type is not loaded: answered with 429 and Retry-After, or from the database. */
export class CacheNotReadyError extends Error {
  override readonly name: string = 'CacheNotReadyError';
}

/** Thrown when the state was unloaded after it was asked for: the cache has another one, or is closed. */
export class CacheUnloadedError extends CacheNotReadyError {
  override readonly name = 'CacheUnloadedError';
}

/** Thrown when the selectors of a type's watches have too many terms already: answered with 429. */
export class SelectorBudgetError extends Error {
  override readonly name = 'SelectorBudgetError';
}

/** Thrown when watches are reading as much of their initial state as they may: answered with 429. */
export class InitialBudgetError extends Error {
  override readonly name = 'InitialBudgetError';
}

/** Thrown when the server is shutting down and accepts no more watches: another one does. */
export class CacheDrainingError extends CacheNotReadyError {
  override readonly name = 'CacheDrainingError';
}

/** Reports that the state in memory differs from the database at the same version: a bug, healed by a reload. */
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

/** Thrown when an object is not in the served version, though others are: clients that would see it get the reason. */
export class FailedObjectError extends Error {
  override readonly name = 'FailedObjectError';
  constructor(
    /** The error of the conversion. */
    readonly failure: Error,
  ) {
    super('the object is not there in the version that is served');
  }
}

/** Thrown on access to a state before a change that was declared unused: a bug. */
export class UnreadStateError extends Error {
  override readonly name = 'UnreadStateError';
  constructor() {
    super('the state before the change was not read');
  }
}

import { StoreUnavailableError } from '../face/errors.js';
import type { Key } from '../face/key.js';
import type { TypeName } from '../face/type-name.js';

/** First byte of a sealed body. No JSON text begins with it. */
export const SEALED = 0x00;

/** Whether a stored body is sealed, by any cipher. */
export const isSealed = (stored: Buffer): boolean => stored.length > 0 && stored[0] === SEALED;

/**
 * Encrypts bodies for whoever can read the database, or the traffic between servers. A sealed body begins with
 * {@link SEALED} and is bound to the type and key of its object: in place of another object's it cannot be opened.
 */
export interface BodyCipher {
  /** The sealed form of a body; undefined for a type whose bodies are stored as is. @throws UnsealableBodyError */
  seal(type: TypeName, key: Key, body: Buffer): Buffer | undefined;
  /**
   * Opens a stored body, which may be one that was never sealed. Returns a promise only when a key must be fetched.
   * @throws UnreadableBodyError, also as the promise
   */
  open(type: TypeName, key: Key, stored: Buffer): Buffer | Promise<Buffer>;
  /** Whether bodies of a type may be sealed: bodies of all others are stored as they are. */
  concerns(type: TypeName): boolean;
  /** Whether a stored form is what {@link seal} would make of its body now, except for random parts. */
  isCurrent(type: TypeName, key: Key, stored: Buffer): boolean;
}

/** An object whose body cannot be opened. */
interface Unreadable {
  readonly type: TypeName;
  readonly key: Key;
  /** Names the key, and holds nothing of it. */
  readonly why: string;
}

/**
 * Thrown when a stored body cannot be opened: answered with 500, saying so. The message names the object, for the
 * client and the log, and the key, and contains nothing of either.
 */
export class UnreadableBodyError extends Error {
  override readonly name: string = 'UnreadableBodyError';
  /** The message without the object. */
  readonly unnamed: string;
  /** The object, and the reason. */
  readonly what: Unreadable;

  /** @param what only its key and reason are kept: a row would be retained with its body */
  constructor(
    what: Unreadable,
    /** Whether the failure may be transient: the service that has the key does not answer. */
    readonly passing: boolean,
    options?: ErrorOptions,
  ) {
    const { type, key, why } = what;
    const { namespace, name } = key;
    super(`unable to read ${typeText(type)} "${namespace === '' ? name : `${namespace}/${name}`}": ${why}`, options);
    this.unnamed = `unable to read ${typeText(type)}: ${why}`;
    this.what = { type, key: { namespace, name }, why };
  }
}

/** Same for one of many that were read together. The client may not see that object: send only {@link unnamed}. */
export class UnreadableListError extends UnreadableBodyError {
  override readonly name = 'UnreadableListError';
  constructor(cause: UnreadableBodyError) {
    super(cause.what, cause.passing, { cause });
  }
}

/**
 * Thrown when the database answers, but changes of a type cannot be read for now: the service that has the key of one
 * of them does not answer. Its `cause` says which.
 */
export class UnreadableChangesError extends StoreUnavailableError {
  constructor(
    /** The first of them, and the reason. */
    override readonly cause: UnreadableBodyError,
  ) {
    super(cause.unnamed, false, { cause });
  }
}

/** Thrown when a body cannot be sealed, so it is not written: answered with 500, saying so. */
export class UnsealableBodyError extends Error {
  override readonly name = 'UnsealableBodyError';
}

/** Returns a type's name as people write it: `deployments.apps`. */
export const typeText = ({ group, resource }: TypeName): string => (group === '' ? resource : `${resource}.${group}`);

/** A cipher that seals nothing; bodies that other servers have sealed are reported as unreadable. */
export const NO_CIPHER: BodyCipher = {
  seal: () => undefined,
  open(type, key, stored) {
    if (!isSealed(stored)) return stored;
    const why = 'it is encrypted, and this server has no --encryption-provider-config';
    throw new UnreadableBodyError({ type, key, why }, false);
  },
  concerns: () => false,
  isCurrent: (_type, _key, stored) => !isSealed(stored),
};

import type { Key, Row, Version } from '@orch/storage';
import type { ServedRow } from '../conversion/body-conversion.js';
import { UnreadStateError } from '../errors.js';
import { type Describe, NAME_FIELD, NAMESPACE_FIELD, type SelectableAttributes, type Selection } from './attributes.js';
import { owned } from './owned.js';

/** A state of an object, immutable. The stored bytes are held once, by all references to the entry. */
export class CacheEntry implements Row {
  #attributes: SelectableAttributes | undefined;
  /** Memory of its own, as it is kept for minutes or for ever. */
  readonly body: Buffer;

  constructor(
    /** Empty for cluster-scoped types. */
    readonly namespace: string,
    /** Never empty. */
    readonly name: string,
    /** Unchanged as long as the object exists. */
    readonly uid: string,
    /** The version that this state was written at; for a deleted object that of the deletion. */
    readonly version: Version,
    body: Buffer,
    private readonly describe: Describe,
    /** Version of the API that the body is in, as in a Row of the store. */
    readonly storedVersion = '',
    /** Number of the defaults that were filled in, as in a Row of the store. */
    readonly defaults = 0,
  ) {
    this.body = owned(body);
  }

  /** Error of its conversion to the served version; undefined if that succeeded. */
  get failure(): Error | undefined {
    return undefined;
  }

  /** Parsed on first use. */
  get attributes(): SelectableAttributes {
    this.#attributes ??= this.describe(this);
    return this.#attributes;
  }
}

/** A state that could not be converted to the served version: it is as stored, and only its key is reliable. */
class FailedEntry extends CacheEntry {
  readonly #failure: Error;

  constructor({ namespace, name, uid, version, body, storedVersion, defaults }: Row, describe: Describe, why: Error) {
    super(namespace, name, uid, version, body, describe, storedVersion, defaults);
    this.#failure = why;
  }

  override get failure(): Error {
    return this.#failure;
  }
}

/** Creates the cache entry of a row. */
export function entryOf(row: ServedRow, describe: Describe): CacheEntry {
  if (row.failure) return new FailedEntry(row, describe, row.failure);
  const { namespace, name, uid, version, body, storedVersion, defaults } = row;
  return new CacheEntry(namespace, name, uid, version, body, describe, storedVersion, defaults);
}

const NO_BODY = Buffer.alloc(0);

/** Returns a state of which only key and version were read: it has no attributes, and no event may be made of it. */
export const unreadEntry = ({ namespace, name, uid }: Key & Pick<Row, 'uid'>, version: Version): CacheEntry =>
  new CacheEntry(namespace, name, uid, version, NO_BODY, () => {
    throw new UnreadStateError();
  });

/** Returns the body of an entry. @throws UnreadStateError if it was not read */
export function readBody({ body }: CacheEntry): Buffer {
  if (body === NO_BODY) throw new UnreadStateError();
  return body;
}

/**
 * Whether a selection selects an object, which is not parsed when its key decides. An entry without known attributes is
 * skipped only if its name or namespace differs: an object that could not be parsed must not look like an absent one.
 */
export function selects(selection: Selection, entry: CacheEntry): boolean {
  const name = selection.equals?.get(NAME_FIELD) ?? entry.name;
  const namespace = selection.equals?.get(NAMESPACE_FIELD) ?? entry.namespace;
  if (name !== entry.name || namespace !== entry.namespace) return false;
  return selection.byKey === true || entry.failure !== undefined || selection.matches(entry.attributes);
}

/** Estimated bytes of an entry beside its body: object, strings, buffer, place in the state; as measured, rounded. */
const ENTRY_OVERHEAD = 600;

/** Bytes that an entry takes, without its attributes. */
export function sizeOf(entry: CacheEntry): number {
  return entry.body.length + ENTRY_OVERHEAD;
}

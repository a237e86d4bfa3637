import type { Row, Version } from '@orch/storage';
import type { Attributes, Describe } from './attributes.js';
import { owned } from './owned.js';

/** One state of one object, immutable. The stored bytes are held once, by whoever refers to the entry. */
export class CacheEntry implements Row {
  #attributes: Attributes | undefined;
  /** Holds on to nothing but itself, for it is kept for minutes or for ever. */
  readonly body: Buffer;

  constructor(
    /** Empty for cluster-scoped types. */
    readonly namespace: string,
    /** Never empty. */
    readonly name: string,
    /** Stays the same as long as the object lives. */
    readonly uid: string,
    /** The version that this state was written at; of a deleted object that of the deletion. */
    readonly version: Version,
    body: Buffer,
    private readonly describe: Describe,
    /** Version of the API that the body lies in, as in a Row of the store. */
    readonly storedVersion = '',
    /** Number of the defaults that the body was given, as in a Row of the store. */
    readonly defaults = 0,
  ) {
    this.body = owned(body);
  }

  /** Parsed on first use. */
  get attributes(): Attributes {
    this.#attributes ??= this.describe(this);
    return this.#attributes;
  }
}

/** Bytes that an entry takes beside its body: object, strings, buffer, place in the state; as measured, on the large side. */
const ENTRY_OVERHEAD = 600;

/** What an entry takes, attributes apart. */
export function sizeOf(entry: CacheEntry): number {
  return entry.body.length + ENTRY_OVERHEAD;
}

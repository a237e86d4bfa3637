import type { Row, Version } from '@orch/storage';
import type { Attributes, Describe } from './attributes.js';

/** One state of one object, immutable. The stored bytes are held once, by whoever refers to the entry. */
export class CacheEntry implements Row {
  #attributes: Attributes | undefined;

  constructor(
    readonly namespace: string,
    readonly name: string,
    readonly uid: string,
    readonly version: Version,
    readonly body: Buffer,
    private readonly describe: Describe,
  ) {}

  /** Parsed on first use. */
  get attributes(): Attributes {
    this.#attributes ??= this.describe(this);
    return this.#attributes;
  }
}

/** Bytes that an entry takes beside its body: object, strings, place in the state; an estimate for budgets. */
export const ENTRY_OVERHEAD = 400;

export function sizeOf(entry: CacheEntry): number {
  return entry.body.length + ENTRY_OVERHEAD;
}

import { equal } from './compare.js';
import { Dictionary, type Effort, type Failure, Uint, type Value } from './value.js';

/** Something that tells keys apart as the reference does: whole numbers are one key in each of the types of numbers. */
function keyOf(key: Value): bigint | string | boolean | number | undefined {
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  return typeof key === 'bigint' || typeof key === 'string' || typeof key === 'boolean' ? key : undefined;
}

/** A map that an expression makes. */
export class ValueMap extends Dictionary {
  readonly #entries = new Map<unknown, { readonly key: Value; readonly value: Value }>();

  constructor(entries: Iterable<readonly [Value, Value]>) {
    super();
    for (const [key, value] of entries) this.#entries.set(keyOf(key) ?? key, { key, value });
  }

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: Value): Value | undefined {
    const name = keyOf(key);
    return name === undefined ? undefined : this.#entries.get(name)?.value;
  }

  override keys(): Value[] {
    return [...this.#entries.values()].map(({ key }) => key);
  }

  override equals(other: Value, effort: Effort): boolean | Failure {
    if (!(other instanceof Dictionary) || this.size !== other.size) return false;
    effort.spend(this.size);
    for (const { key, value } of this.#entries.values()) {
      const found = other.find(key);
      if (found === undefined || equal(value, found, effort) === false) return false;
    }
    return true;
  }
}

import { equal } from './compare.js';
import { Dictionary, type Effort, type Failure, Uint, type Value } from './value.js';

/** What stands for a key: keys of different types are different keys. */
function keyOf(key: Value): unknown {
  return key instanceof Uint ? `\u0000uint:${key.value}` : key;
}

/** Keys of other types of numbers that a number finds, too (cel-go, common/types/map.go). */
export function kinsOf(key: Value): Value[] {
  if (typeof key === 'bigint') return key < 0n ? [] : [new Uint(key)];
  if (key instanceof Uint) return [key.value];
  if (typeof key !== 'number' || !Number.isInteger(key)) return [];
  const whole = BigInt(key);
  return whole < 0n ? [whole] : [whole, new Uint(whole)];
}

/** A map that an expression makes. */
export class ValueMap extends Dictionary {
  readonly #entries = new Map<unknown, { readonly key: Value; readonly value: Value }>();

  constructor(entries: Iterable<readonly [Value, Value]>) {
    super();
    for (const [key, value] of entries) this.#entries.set(keyOf(key), { key, value });
  }

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: Value): Value | undefined {
    const entry = this.#entries.get(keyOf(key));
    if (entry) return entry.value;
    for (const kin of kinsOf(key)) {
      const other = this.#entries.get(keyOf(kin));
      if (other) return other.value;
    }
    return undefined;
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

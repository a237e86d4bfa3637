import { equal } from './compare.js';
import { Dictionary, type EvaluationBudget, Failure, Uint, type Value } from './value.js';

/** Internal key: keys of different types are different. */
function keyOf(key: Value): unknown {
  return key instanceof Uint ? `\u0000uint:${key.value}` : key;
}

/** Returns keys of other number types that a number matches too (cel-go, common/types/map.go). */
export function kinsOf(key: Value): Value[] {
  if (typeof key === 'bigint') return key < 0n ? [] : [new Uint(key)];
  if (key instanceof Uint) return [key.value];
  if (typeof key !== 'number' || !Number.isInteger(key)) return [];
  const whole = BigInt(key);
  return whole < 0n ? [whole] : [whole, new Uint(whole)];
}

/** A map made by an expression. */
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

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof Dictionary) || this.size !== other.size) return false;
    effort.spend(this.size);
    for (const { key, value } of this.#entries.values()) {
      const found = other.find(key);
      if (found === undefined || equal(value, found, effort) === false) return false;
    }
    return true;
  }
}

/** A key of a growing map, and the number of entries before it. */
interface GrownEntry {
  readonly key: Value;
  readonly value: Value;
  readonly place: number;
}

/**
 * A map that a loop adds to, one entry at a time. Adding to the newest makes a larger one of the same entries; earlier
 * ones stay as they were.
 */
export class GrowingMap extends Dictionary {
  constructor(
    private readonly entries = new Map<unknown, GrownEntry>(),
    override readonly size = 0,
  ) {
    super();
  }

  /** Returns the map with one more entry; a failure if the key exists. */
  with(key: Value, value: Value): GrowingMap | Failure {
    if (this.find(key) !== undefined) return new Failure(`insert failed: key ${keyText(key)} already exists`);
    const entries = this.entries.size === this.size ? this.entries : new Map([...this.entries].slice(0, this.size));
    entries.set(keyOf(key), { key, value, place: this.size });
    return new GrowingMap(entries, this.size + 1);
  }

  override find(key: Value): Value | undefined {
    for (const each of [key, ...kinsOf(key)]) {
      const entry = this.entries.get(keyOf(each));
      if (entry && entry.place < this.size) return entry.value;
    }
    return undefined;
  }

  override keys(): Value[] {
    const keys: Value[] = [];
    for (const { key, place } of this.entries.values()) if (place < this.size) keys.push(key);
    return keys;
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof Dictionary) || this.size !== other.size) return false;
    effort.spend(this.size);
    for (const key of this.keys()) {
      const found = other.find(key);
      if (found === undefined || equal(this.find(key) as Value, found, effort) === false) return false;
    }
    return true;
  }
}

const keyText = (key: Value): string => (key instanceof Uint ? String(key.value) : String(key));

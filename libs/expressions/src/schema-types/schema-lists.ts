import { equalTo } from '../values/compare.js';
import { type EvaluationBudget, Failure, failureOr, List, TooMuchEffort, type Value } from '../values/value.js';
import { escapeName } from './escape.js';
import { isRawObject, keyOfRaw, type Raw, rawOf } from './native.js';
import type { ValueReader } from './value-reader.js';

/** Elements of the longest concatenated list. */
const LONGEST = 16_000_000;

/** A list of JSON whose elements have a schema. */
export class SchemaList extends List {
  constructor(
    readonly raw: readonly Raw[],
    protected readonly elements: ValueReader,
  ) {
    super();
  }

  override get size(): number {
    return this.raw.length;
  }

  override at(index: number): Value {
    return this.elements(this.raw[index]);
  }

  override get(index: Value): Value {
    if (typeof index !== 'bigint') return failureOr(index, `unsupported index: ${String(index)}`);
    if (index < 0n || index >= this.raw.length) return new Failure(`index out of bounds: ${index}`);
    return this.at(Number(index));
  }

  override concat(other: List): List {
    return new SchemaList([...this.raw, ...this.rawsOf(other)], this.elements);
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof List)) return failureOr(other);
    if (this.size !== other.size) return false;
    effort.spend(this.size);
    for (let i = 0; i < this.size; i++) {
      const same = equalTo(this.at(i), other.at(i), effort);
      if (same !== true) return same;
    }
    return true;
  }

  override contains(value: Value, effort: EvaluationBudget): boolean | Failure {
    let failure: Failure | undefined;
    effort.spend(this.size);
    for (let i = 0; i < this.size; i++) {
      const same = equalTo(this.at(i), value, effort);
      if (same === true) return true;
      if (same instanceof Failure) failure ??= same;
    }
    return failure ?? false;
  }

  protected rawsOf(other: List): Raw[] {
    if (this.size + other.size > LONGEST) throw new TooMuchEffort();
    return Array.from({ length: other.size }, (_, i) => rawOf(other.at(i)));
  }
}

/** A list whose order does not matter. */
export class SchemaSet extends SchemaList {
  #keys: Set<unknown> | undefined;

  override concat(other: List): List {
    const keys = new Set(this.#known());
    const added = this.rawsOf(other).filter((raw) => !keys.has(keyOfRaw(raw)) && keys.add(keyOfRaw(raw)));
    return new SchemaSet([...this.raw, ...added], this.elements);
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof List)) return failureOr(other);
    if (this.size !== other.size) return false;
    effort.spend(this.size);
    const keys = this.#known();
    for (let i = 0; i < other.size; i++) if (!keys.has(keyOfRaw(rawOf(other.at(i))))) return false;
    return true;
  }

  #known(): ReadonlySet<unknown> {
    this.#keys ??= new Set(this.raw.map(keyOfRaw));
    return this.#keys;
  }
}

/** A list of objects that are identified by some of their fields. */
export class SchemaMapList extends SchemaList {
  readonly #names: readonly string[];
  #byKey: Map<string, Raw> | undefined;

  /** @param keys the fields that identify objects */
  constructor(
    raw: readonly Raw[],
    elements: ValueReader,
    private readonly keys: readonly string[],
  ) {
    super(raw, elements);
    this.#names = keys.map((key) => escapeName(key) ?? key);
  }

  override concat(other: List): List {
    const raw = [...this.raw];
    const places = new Map(raw.map((object, i) => [this.#keyOf(object), i]));
    for (const added of this.rawsOf(other)) {
      const place = places.get(this.#keyOf(added));
      if (place === undefined) raw.push(added);
      else raw[place] = added;
    }
    return new SchemaMapList(raw, this.elements, this.keys);
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof List)) return failureOr(other);
    if (this.size !== other.size) return false;
    effort.spend(this.size);
    this.#byKey ??= new Map(this.raw.map((object) => [this.#keyOf(object), object]));
    for (let i = 0; i < other.size; i++) {
      const theirs = other.at(i);
      const key = this.#keyOf(rawOf(theirs));
      if (!this.#byKey.has(key)) return false;
      const same = equalTo(this.elements(this.#byKey.get(key)), theirs, effort);
      if (same !== true) return same;
    }
    return true;
  }

  #keyOf(object: Raw): string {
    return keyOfObject(object, this.#names);
  }
}

/** Identity of an object in a list, as one text. */
function keyOfObject(object: Raw, names: readonly string[]): string {
  if (!isRawObject(object)) return 'none';
  return JSON.stringify(names.map((name) => scalarText(object[name])));
}

const scalarText = (raw: Raw): string => {
  const key = keyOfRaw(raw);
  return `${typeof key}:${String(key)}`;
};

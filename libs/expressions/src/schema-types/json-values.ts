import { equalTo } from '../values/compare.js';
import { MadeList } from '../values/lists.js';
import { Dictionary, type EvaluationBudget, Failure, failureOr, type Value } from '../values/value.js';
import { isRawObject, type Raw, type RawObject } from './native.js';

/** Wraps a JSON value without a schema, as the type `dyn`. */
export function jsonValue(raw: Raw): Value {
  if (raw === null || raw === undefined) return null;
  if (Array.isArray(raw)) return new JsonList(raw);
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? BigInt(raw) : raw;
  return isRawObject(raw) ? new JsonDictionary(raw) : (raw as boolean | string | bigint);
}

/** A list whose elements are wrapped on demand. */
class JsonList extends MadeList {
  constructor(readonly raw: readonly Raw[]) {
    super();
  }

  override get size(): number {
    return this.raw.length;
  }

  override at(index: number): Value {
    return jsonValue(this.raw[index]);
  }

  protected override outside(position: bigint | number): Failure {
    return new Failure(`index out of bounds: ${position}`);
  }
}

/** A map whose members are wrapped on demand. */
class JsonDictionary extends Dictionary {
  #names: string[] | undefined;

  constructor(readonly raw: RawObject) {
    super();
  }

  override get size(): number {
    return this.#known().length;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.raw, key)) return undefined;
    const value = this.raw[key];
    return value === undefined ? undefined : jsonValue(value);
  }

  override keys(): Value[] {
    return [...this.#known()];
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof Dictionary)) return failureOr(other);
    if (this.size !== other.size) return false;
    effort.spend(this.size);
    for (const name of this.#known()) {
      const theirs = other.find(name);
      if (theirs === undefined || equalTo(jsonValue(this.raw[name]), theirs, effort) !== true) return false;
    }
    return true;
  }

  #known(): readonly string[] {
    this.#names ??= Object.keys(this.raw).filter((name) => this.raw[name] !== undefined);
    return this.#names;
  }
}

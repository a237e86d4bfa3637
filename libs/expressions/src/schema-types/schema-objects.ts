import { equalTo } from '../values/compare.js';
import {
  Dictionary,
  type EvaluationBudget,
  type Failure,
  failureOr,
  noSuchOverload,
  type Value,
} from '../values/value.js';
import { escapeName, unescapeName } from './escape.js';
import { type RawObject, sameRaw } from './native.js';
import type { ValueReader } from './value-reader.js';

/** How members of a JSON object or map are read. */
export interface MemberReaders {
  /** Returns the reader of a member; undefined for undeclared ones. */
  readonly reader: (name: string) => ValueReader | undefined;
  /** Whether the members are fields, with escaped names, and absent if null. */
  readonly isObject: boolean;
}

const owned = (object: RawObject, name: string): boolean => Object.hasOwn(object, name) && object[name] !== undefined;

/** An object or a map of JSON that has a schema. */
export class SchemaDictionary extends Dictionary {
  #size: number | undefined;

  constructor(
    readonly raw: RawObject,
    private readonly members: MemberReaders,
  ) {
    super();
  }

  override get size(): number {
    this.#size ??= this.#names().length;
    return this.#size;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return failureOr(key);
    const { isObject, reader } = this.members;
    const name = isObject ? unescapeName(key) : key;
    if (name === undefined || !owned(this.raw, name)) return undefined;
    const value = this.raw[name];
    if (isObject && value === null) return undefined;
    return reader(name)?.(value);
  }

  override keys(): Value[] {
    const { isObject, reader } = this.members;
    const names = this.#names().filter((name) => reader(name) !== undefined);
    return isObject ? names.map((name) => escapeName(name) ?? name) : names;
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof Dictionary)) return failureOr(other);
    if (this.size !== other.size) return false;
    effort.spend(this.size);
    for (const name of this.#names()) {
      const same = this.#sameMember(name, other, effort);
      if (same !== true) return same;
    }
    return true;
  }

  #sameMember(name: string, other: Dictionary, effort: EvaluationBudget): boolean | Failure {
    const read = this.members.reader(name);
    if (read) {
      const theirs = other.find(name);
      return theirs === undefined ? false : equalTo(read(this.raw[name]), theirs, effort);
    }
    if (!(other instanceof SchemaDictionary)) return noSuchOverload();
    return !owned(other.raw, name) || sameRaw(this.raw[name], other.raw[name]);
  }

  #names(): string[] {
    return Object.keys(this.raw).filter((name) => this.raw[name] !== undefined);
  }
}

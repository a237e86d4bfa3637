import { equal, equalTo } from './compare.js';
import { type EvaluationBudget, Failure, List, TooMuchEffort, typeNameOf, Uint, type Value } from './value.js';

/** Returns the position of an index, or why it has none. */
function positionOf(index: Value): bigint | number | Failure {
  if (typeof index === 'bigint') return index;
  const whole = index instanceof Uint ? Number(index.value) : index;
  if (typeof whole !== 'number')
    return index instanceof Failure ? index : new Failure(`unsupported index type '${typeNameOf(index)}' in list`);
  return Number.isSafeInteger(whole) ? whole : new Failure(`unsupported index value ${whole} in list`);
}

/** Base class of the lists that expressions make. */
export abstract class MadeList extends List {
  override get(index: Value): Value {
    const position = positionOf(index);
    if (position instanceof Failure) return position;
    return position < 0 || position >= this.size ? this.outside(position) : this.at(Number(position));
  }

  /** Failure for an index out of range. */
  protected outside(position: bigint | number): Failure {
    return new Failure(`index '${position}' out of range in list size '${this.size}'`);
  }

  override concat(other: List): List {
    if (this.size === 0) return other;
    return other.size === 0 ? this : joined(this, other);
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof List) || this.size !== other.size) return false;
    effort.spend(this.size);
    for (let i = 0; i < this.size; i++) if (equal(this.at(i), other.at(i), effort) === false) return false;
    return true;
  }

  override contains(value: Value, effort: EvaluationBudget): boolean | Failure {
    effort.spend(this.size);
    for (let i = 0; i < this.size; i++) if (equalTo(value, this.at(i), effort) === true) return true;
    return false;
  }
}

/** A list of values. */
export class ValueList extends MadeList {
  constructor(readonly values: readonly Value[]) {
    super();
  }

  override get size(): number {
    return this.values.length;
  }

  override at(index: number): Value {
    return this.values[index] as Value;
  }
}

/** Elements of the longest concatenated list. */
const LONGEST = 16_000_000;
/** Nesting of concatenated lists up to which nothing is copied. */
const MOST_JOINED = 64;

/** Two concatenated lists, which are not copied: `a + b` takes the time of one step. */
class JoinedList extends MadeList {
  override readonly size: number;
  /** Nesting of concatenations. */
  readonly depth: number;

  constructor(
    private readonly first: List,
    private readonly second: List,
  ) {
    super();
    this.size = first.size + second.size;
    if (this.size > LONGEST) throw new TooMuchEffort();
    this.depth = 1 + Math.max(depthOf(first), depthOf(second));
  }

  override get(index: Value): Value {
    const position = positionOf(index);
    if (position instanceof Failure) return position;
    // Each part reports its own failures, as in the reference.
    if (position < this.first.size) return this.first.get(index);
    return this.second.get(BigInt(position) - BigInt(this.first.size));
  }

  override at(index: number): Value {
    return index < this.first.size ? this.first.at(index) : this.second.at(index - this.first.size);
  }
}

const depthOf = (list: List): number => (list instanceof JoinedList ? list.depth : 0);

function joined(first: List, second: List): List {
  const list = new JoinedList(first, second);
  if (list.depth <= MOST_JOINED) return list;
  return new ValueList(Array.from({ length: list.size }, (_, i) => list.at(i)));
}

/**
 * A list that a loop appends to, one element at a time. Appending to the longest makes a longer one of the same values;
 * earlier ones keep their length.
 */
export class AppendableList extends MadeList {
  constructor(
    private readonly values: Value[] = [],
    override readonly size = 0,
  ) {
    super();
  }

  override at(index: number): Value {
    return this.values[index] as Value;
  }

  override concat(other: List): List {
    const isElement = other instanceof ValueList && other.size === 1;
    if (!isElement || this.values.length !== this.size) return super.concat(other);
    this.values.push(other.at(0));
    return new AppendableList(this.values, this.size + 1);
  }
}

import type { CelType } from '../types/type.js';

/**
 * A value at run time. `int` is a bigint within 64 bits, `double` a number, `bytes` an immutable Uint8Array; a failure
 * is a value, too, as `&&` and `||` may recover from it.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | List
  | Dictionary
  | TypeValue
  | Opaque
  | Failure;

/** An unsigned integer of 64 bits. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** A point in time. */
export class Timestamp {
  /**
   * @param nanoseconds since 1970
   * @param offset seconds east of UTC, for formatting
   */
  constructor(
    readonly nanoseconds: bigint,
    readonly offset = 0,
  ) {}
}

/** A duration of 64 bits. */
export class Duration {
  constructor(readonly nanoseconds: bigint) {}
}

/** A type as a value. */
export class TypeValue {
  constructor(readonly name: string) {}
}

/** An error in place of a value. */
export class Failure {
  constructor(
    /** Message in the reference's wording. */
    readonly message: string,
  ) {}
}

/** Elements, of some 100 ns each, that one evaluation may compare and traverse beyond its counted costs. */
const MOST_EFFORT = 1_000_000;

/** Thrown when an evaluation exceeds its effort. */
export class TooMuchEffort extends Error {}

/**
 * Counts work that costs ignore: comparing a list of lists costs as much as its length, however large its content, and
 * values nested by macros may have exponentially many elements.
 */
export class EvaluationBudget {
  /** Elements counted so far. */
  spent = 0;

  /**
   * @param most elements
   * @param whole parent that is charged too, and may be exhausted first
   */
  constructor(
    private readonly most = MOST_EFFORT,
    private readonly whole?: EvaluationBudget,
  ) {}

  /** @throws TooMuchEffort */
  spend(elements: number): void {
    this.spent += elements;
    this.whole?.spend(elements);
    if (this.spent > this.most) throw new TooMuchEffort();
  }

  /** Returns a budget for one evaluation among several that share this one. */
  ofOne(): EvaluationBudget {
    return new EvaluationBudget(MOST_EFFORT, this);
  }
}

/** A list of any kind. */
export abstract class List {
  /** How many elements it has. */
  abstract readonly size: number;
  /** Returns an element; `index` is at least 0 and less than the size. */
  abstract at(index: number): Value;
  /** Returns this list followed by another. */
  abstract concat(other: List): List;
  /** Whether a value is equal: true, false, or why they cannot be compared. */
  abstract equals(other: Value, effort: EvaluationBudget): boolean | Failure;
  /** Whether an element equals a value. */
  abstract contains(value: Value, effort: EvaluationBudget): boolean | Failure;
  /** Returns the element at an index; a failure if there is none. */
  abstract get(index: Value): Value;
}

/** A map of any kind. */
export abstract class Dictionary {
  /** How many entries it has. */
  abstract readonly size: number;
  /** Returns the value of a key; undefined if there is none. */
  abstract find(key: Value): Value | undefined;
  /** Keys in the order of the source. */
  abstract keys(): Value[];
  /** Whether a value is equal: true, false, or why they cannot be compared. */
  abstract equals(other: Value, effort: EvaluationBudget): boolean | Failure;
}

/** A value that only library functions can use. */
export abstract class Opaque {
  /** Name of its type. */
  abstract readonly typeName: string;
  /** Size by which costs are counted. */
  get size(): number {
    return 1;
  }
  /** Whether a value is equal. */
  abstract equals(other: Value, effort: EvaluationBudget): boolean | Failure;
}

/** Failure of functions that were called with undeclared types. */
export const noSuchOverload = (): Failure => new Failure('no such overload');

/** Failure for an operation that a value lacks. For types with methods of their own the message omits the name. */
export const unsuited = (name: string, value: Value): Failure =>
  typeof value === 'string' || value instanceof Timestamp || value instanceof Duration
    ? noSuchOverload()
    : new Failure(`no such overload: ${name}`);
/** Returns the failure itself if a value is one, else that it cannot be used there. */
export const failureOr = (value: Value, message = 'no such overload'): Failure =>
  value instanceof Failure ? value : new Failure(message);

/** Name of a value's type, as `string(type(x))` gives it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (value === null) return 'null_type';
  if (value instanceof List) return 'list';
  if (value instanceof Dictionary) return 'map';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  return value instanceof Opaque ? value.typeName : 'error';
}

const SIMPLE: Readonly<Partial<Record<CelType['kind'], string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  list: 'list',
  map: 'map',
  type: 'type',
};

/** Returns the type name of values of a declared type; undefined for types that do not determine it. */
export function nameOfType(type: CelType): string | undefined {
  const hasName = type.kind === 'primitive' || type.kind === 'object' || type.kind === 'abstract';
  return SIMPLE[type.kind] ?? (hasName ? type.name : undefined);
}

import type { Type } from '../types/type.js';

/**
 * A value at run time. `int` is a bigint within 64 bits, `double` a number, `bytes` a Uint8Array that is not changed;
 * a failure is a value, too, because `&&` and `||` may make up for it.
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

/** An integer without sign, of 64 bits. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** A point in time. */
export class Timestamp {
  /**
   * @param nanoseconds since 1970
   * @param offset seconds east of UTC, in which it is written
   */
  constructor(
    readonly nanoseconds: bigint,
    readonly offset = 0,
  ) {}
}

/** A span of time, of 64 bits. */
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
    /** In the words of the reference. */
    readonly message: string,
  ) {}
}

/** Elements, of some 100 ns each, that one evaluation may compare and traverse beside what its costs count. */
const MOST_EFFORT = 1_000_000;

/** Thrown where an evaluation takes too much. */
export class TooMuchEffort extends Error {}

/**
 * Counts what costs do not: comparing a list of lists costs as much as its length, however much is in it, and what is
 * nested by macros may hold exponentially many elements.
 */
export class Effort {
  /** Elements so far. */
  spent = 0;

  /**
   * @param most elements
   * @param whole takes part in what is spent here, and may be at an end before
   */
  constructor(
    private readonly most = MOST_EFFORT,
    private readonly whole?: Effort,
  ) {}

  /** @throws TooMuchEffort */
  spend(elements: number): void {
    this.spent += elements;
    this.whole?.spend(elements);
    if (this.spent > this.most) throw new TooMuchEffort();
  }

  /** For one evaluation among several that share this one. */
  ofOne(): Effort {
    return new Effort(MOST_EFFORT, this);
  }
}

/** A list of any kind. */
export abstract class List {
  /** How many elements it has. */
  abstract readonly size: number;
  /** An element; `index` is at least 0 and less than the size. */
  abstract at(index: number): Value;
  /** This and then the elements of another. */
  abstract concat(other: List): List;
  /** Whether a value is equal: true, false, or why they cannot be compared. */
  abstract equals(other: Value, effort: Effort): boolean | Failure;
  /** Whether an element is the same as a value. */
  abstract contains(value: Value, effort: Effort): boolean | Failure;
  /** The element where an index says; a failure where none is. */
  abstract get(index: Value): Value;
}

/** A map of any kind. */
export abstract class Dictionary {
  /** How many entries it has. */
  abstract readonly size: number;
  /** Value of a key; undefined where it has none. */
  abstract find(key: Value): Value | undefined;
  /** In the order of the source. */
  abstract keys(): Value[];
  /** Whether a value is equal: true, false, or why they cannot be compared. */
  abstract equals(other: Value, effort: Effort): boolean | Failure;
}

/** A value of which only functions know more. */
export abstract class Opaque {
  /** Name of its type. */
  abstract readonly typeName: string;
  /** Size by which costs are counted. */
  get size(): number {
    return 1;
  }
  /** Whether a value is the same. */
  abstract equals(other: Value, effort: Effort): boolean | Failure;
}

/** Failure of functions that were called with undeclared types. */
export const noSuchOverload = (): Failure => new Failure('no such overload');

/** An operation that a value does not have. Those that have methods of their own are asked for one, and do not say its name. */
export const unsuited = (name: string, value: Value): Failure =>
  typeof value === 'string' || value instanceof Timestamp || value instanceof Duration
    ? noSuchOverload()
    : new Failure(`no such overload: ${name}`);
/** The failure itself where a value is one, else that it cannot be used there. */
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

const SIMPLE: Readonly<Partial<Record<Type['kind'], string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  list: 'list',
  map: 'map',
  type: 'type',
};

/** Name that values of a declared type have; undefined for types that say nothing of their values. */
export function nameOfType(type: Type): string | undefined {
  const hasName = type.kind === 'primitive' || type.kind === 'object' || type.kind === 'abstract';
  return SIMPLE[type.kind] ?? (hasName ? type.name : undefined);
}

import {
  Dictionary,
  Duration,
  type EvaluationBudget,
  Failure,
  failureOr,
  List,
  Opaque,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.js';

type Order = -1 | 0 | 1;

const order = <T extends bigint | number>(a: T, b: T): Order => (a < b ? -1 : a > b ? 1 : 0);
const MIN_INT = -(2 ** 63);
const MAX_INT = 2 ** 63;
const MAX_UINT = 2 ** 64;

/** Compares a double and an integer; within the integer's range both are compared as doubles, as in the reference. */
function orderOfDouble(a: number, b: bigint, least: number, most: number): Order {
  if (a < least) return -1;
  return a > most ? 1 : order(a, Number(b));
}

/** Compares two numbers other than NaN; undefined if one is no number. */
function orderOfNumbers(a: Value, b: Value): Order | undefined {
  if (typeof a === 'bigint') {
    if (typeof b === 'bigint') return order(a, b);
    if (b instanceof Uint) return order(a, b.value);
    return typeof b === 'number' ? (-orderOfDouble(b, a, MIN_INT, MAX_INT) as Order) : undefined;
  }
  if (typeof a === 'number') {
    if (typeof b === 'number') return order(a, b);
    if (typeof b === 'bigint') return orderOfDouble(a, b, MIN_INT, MAX_INT);
    return b instanceof Uint ? orderOfDouble(a, b.value, 0, MAX_UINT) : undefined;
  }
  if (!(a instanceof Uint)) return undefined;
  if (b instanceof Uint) return order(a.value, b.value);
  if (typeof b === 'bigint') return order(a.value, b);
  return typeof b === 'number' ? (-orderOfDouble(b, a.value, 0, MAX_UINT) as Order) : undefined;
}

/** Compares texts by code points, which is the order of their bytes. */
function compareStrings(a: string, b: string): Order {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates represent code points above all others.
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x < y ? -1 : 1;
  }
  return order(a.length, b.length);
}

/** Compares two values, or returns why they have no order. */
export function compare(a: Value, b: Value): Order | Failure {
  if (Number.isNaN(a) || (Number.isNaN(b) && isNumber(a))) return new Failure('NaN values cannot be ordered');
  const numbers = orderOfNumbers(a, b);
  if (numbers !== undefined) return numbers;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanoseconds, b.nanoseconds);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanoseconds, b.nanoseconds);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) as Order;
  return failureOr(b);
}

const isNumber = (value: Value): boolean =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

/** Whether values of this type have an order at all. */
export const isComparable = (value: Value): boolean =>
  isNumber(value) ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value instanceof Timestamp ||
  value instanceof Duration ||
  value instanceof Uint8Array;

/** Whether two values are equal, or why they cannot be compared; null equals only itself. */
export function equal(a: Value, b: Value, effort: EvaluationBudget): boolean | Failure {
  if (a === null || b === null) return a === b;
  return equalTo(a, b, effort);
}

/** Same without the rule for null on the right, for searching members of lists. */
export function equalTo(a: Value, b: Value, effort: EvaluationBudget): boolean | Failure {
  switch (typeof a) {
    case 'string':
    case 'boolean':
      return a === b;
    case 'bigint':
    case 'number':
      return !Number.isNaN(a) && !Number.isNaN(b) && orderOfNumbers(a, b) === 0;
  }
  if (a === null) return b === null;
  if (a instanceof List || a instanceof Dictionary || a instanceof Opaque) return a.equals(b, effort);
  if (a instanceof Failure) return a;
  if (a instanceof Uint) return !Number.isNaN(b) && orderOfNumbers(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  return b instanceof Duration && a.nanoseconds === b.nanoseconds;
}

import {
  Duration,
  Failure,
  failureOr,
  List,
  noSuchOverload,
  Timestamp,
  TooMuchEffort,
  Uint,
  unsuited,
  type Value,
} from './value.js';

const MIN_INT = -(1n << 63n);
const MAX_INT = (1n << 63n) - 1n;
const MAX_UINT = (1n << 64n) - 1n;
const SECOND = 1_000_000_000n;
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

/** Returns an integer of 64 bits, or an overflow. */
export const int = (value: bigint): Value =>
  value < MIN_INT || value > MAX_INT ? new Failure('integer overflow') : value;
/** Same for unsigned ones. */
export const uint = (value: bigint): Value =>
  value < 0n || value > MAX_UINT ? new Failure('unsigned integer overflow') : new Uint(value);
/** Returns a duration of 64 bits, or an overflow. */
export const duration = (nanoseconds: bigint): Value =>
  nanoseconds < MIN_INT || nanoseconds > MAX_INT ? new Failure('duration overflow') : new Duration(nanoseconds);

/** Returns a point in time of the years 1 to 9999, or an overflow. */
export function timestamp(nanoseconds: bigint, offset = 0): Value {
  const seconds = (nanoseconds - (((nanoseconds % SECOND) + SECOND) % SECOND)) / SECOND;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return new Failure('timestamp overflow');
  return new Timestamp(nanoseconds, offset);
}

type Binary = (a: Value, b: Value) => Value;

/** An operator of numbers; `whole` is for both integer types. */
function numeric(
  name: string,
  whole: (a: bigint, b: bigint) => bigint,
  double?: (a: number, b: number) => number,
): Binary {
  return (a, b) => {
    if (typeof a === 'bigint') return typeof b === 'bigint' ? int(whole(a, b)) : failureOr(b);
    if (a instanceof Uint) return b instanceof Uint ? uint(whole(a.value, b.value)) : failureOr(b);
    if (typeof a === 'number' && double) return typeof b === 'number' ? double(a, b) : failureOr(b);
    return unsuited(name, a);
  };
}

/** An operator of numbers that refuses a zero divisor. */
function dividing(
  name: string,
  message: string,
  whole: (a: bigint, b: bigint) => bigint,
  double?: (a: number, b: number) => number,
): Binary {
  const divide = numeric(name, whole, double);
  return (a, b) => {
    const zero = (typeof a === 'bigint' && b === 0n) || (a instanceof Uint && b instanceof Uint && b.value === 0n);
    return zero ? new Failure(message) : divide(a, b);
  };
}

const addNumbers = numeric(
  '_+_',
  (a, b) => a + b,
  (a, b) => a + b,
);
const subtractNumbers = numeric(
  '_-_',
  (a, b) => a - b,
  (a, b) => a - b,
);

/** `a * b`. */
export const multiply = numeric(
  '_*_',
  (a, b) => a * b,
  (a, b) => a * b,
);
/** `a / b`. */
export const divide = dividing(
  '_/_',
  'division by zero',
  (a, b) => a / b,
  (a, b) => a / b,
);
/** `a % b`; it overflows when `a / b` does, as in the reference. */
export const modulo = dividing('_%_', 'modulus by zero', (a, b) => (a === MIN_INT && b === -1n ? -a : a % b));

/** UTF-16 units of the longest concatenated text. */
const LONGEST = 64 * 1024 * 1024;

function concatenated(a: string, b: string): string {
  if (a.length + b.length > LONGEST) throw new TooMuchEffort();
  return a + b;
}

/** `a + b`, for all types that have it. */
export function add(a: Value, b: Value): Value {
  if (typeof a === 'string') return typeof b === 'string' ? concatenated(a, b) : failureOr(b);
  if (a instanceof List) return b instanceof List ? a.concat(b) : failureOr(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? new Uint8Array(Buffer.concat([a, b])) : failureOr(b);
  if (a instanceof Timestamp)
    return b instanceof Duration ? timestamp(a.nanoseconds + b.nanoseconds, a.offset) : failureOr(b);
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanoseconds + b.nanoseconds);
    return b instanceof Timestamp ? timestamp(b.nanoseconds + a.nanoseconds, b.offset) : failureOr(b);
  }
  return addNumbers(a, b);
}

/** `a - b` of numbers and times. */
export function subtract(a: Value, b: Value): Value {
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return timestamp(a.nanoseconds - b.nanoseconds, a.offset);
    return b instanceof Timestamp ? between(a, b) : failureOr(b);
  }
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanoseconds - b.nanoseconds) : failureOr(b);
  return subtractNumbers(a, b);
}

/** The duration between two points in time; an overflow is reported as that of an integer. */
function between(a: Timestamp, b: Timestamp): Value {
  const nanoseconds = int(a.nanoseconds - b.nanoseconds);
  return typeof nanoseconds === 'bigint' ? new Duration(nanoseconds) : nanoseconds;
}

/** `-a`. */
export function negate(a: Value): Value {
  if (typeof a === 'bigint') return int(-a);
  if (typeof a === 'number') return -a;
  if (a instanceof Duration) return duration(-a.nanoseconds);
  return typeof a === 'boolean' ? noSuchOverload() : unsuited('-_', a);
}

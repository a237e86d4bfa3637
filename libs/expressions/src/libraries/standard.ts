import { add, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.js';
import { compare, isComparable } from '../values/compare.js';
import { CONVERSIONS, convert, typeOfValue } from '../values/convert.js';
import { pointCount } from '../values/strings.js';
import { TIME_PARTS, timePart } from '../values/times.js';
import {
  Dictionary,
  Duration,
  type EvaluationBudget,
  Failure,
  failureOr,
  List,
  Timestamp,
  unsuited,
  type Value,
} from '../values/value.js';
import { type Implementation, type Library, noForm } from './library.js';
import { compilePattern } from './regular-expressions.js';
import { STANDARD_DECLARATIONS } from './standard-declarations.js';

function comparing(name: string, holds: (order: -1 | 0 | 1) => boolean): Implementation {
  return (a: Value, b: Value) => {
    if (!isComparable(a)) return unsuited(name, a);
    const order = compare(a, b);
    return order instanceof Failure ? order : holds(order);
  };
}

/** `size(a)`. */
function sizeOf(value: Value): Value {
  if (typeof value === 'string') return BigInt(pointCount(value));
  if (value instanceof List || value instanceof Dictionary) return BigInt(value.size);
  return value instanceof Uint8Array ? BigInt(value.length) : unsuited('size', value);
}

/** `a in b`. */
export function isIn(value: Value, container: Value, effort: EvaluationBudget): Value {
  if (container instanceof List) return container.contains(value, effort);
  if (!(container instanceof Dictionary)) return failureOr(container);
  const found = container.find(value);
  return found instanceof Failure ? found : found !== undefined;
}

const matches: Implementation = (text, pattern) => {
  if (typeof text !== 'string') return unsuited('matches', text as Value);
  if (typeof pattern !== 'string') return failureOr(pattern as Value);
  const compiled = compilePattern(pattern);
  return compiled instanceof Failure ? compiled : compiled.test(text);
};

/** Negates; signed numbers and durations can be negated elsewhere, but not so. */
function not(value: Value): Value {
  if (typeof value === 'boolean') return !value;
  const isSigned = typeof value === 'bigint' || typeof value === 'number' || value instanceof Duration;
  return isSigned ? failureOr(value) : unsuited('!_', value);
}

const textual =
  (name: string, test: (text: string, part: string) => boolean): Implementation =>
  (text, part) => {
    if (typeof text === 'string') return typeof part === 'string' ? test(text, part) : failureOr(part as Value);
    return unsuited(name, text as Value);
  };

const SPANS: ReadonlyMap<string, bigint> = new Map([
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
  ['getMilliseconds', 1_000_000n],
]);

function timed(name: string): Implementation {
  const unit = SPANS.get(name);
  return (...args) => {
    const [time, zone = 'UTC'] = args;
    if (time instanceof Timestamp && typeof zone === 'string') return timePart(name, time, zone);
    const isSpan = time instanceof Duration && unit !== undefined && args.length === 1;
    return isSpan ? time.nanoseconds / unit : noForm(name, args);
  };
}

const IMPLEMENTATIONS: ReadonlyMap<string, Implementation> = new Map<string, Implementation>([
  ['_<_', comparing('_<_', (order) => order < 0)],
  ['_<=_', comparing('_<=_', (order) => order <= 0)],
  ['_>_', comparing('_>_', (order) => order > 0)],
  ['_>=_', comparing('_>=_', (order) => order >= 0)],
  ['_+_', add],
  ['_-_', subtract],
  ['_*_', multiply],
  ['_/_', divide],
  ['_%_', modulo],
  ['-_', negate],
  ['!_', (value) => not(value as Value)],
  ['@not_strictly_false', (value) => (typeof value === 'boolean' ? value : true)],
  ['size', sizeOf],
  ['matches', matches],
  ['contains', textual('contains', (text, part) => text.includes(part))],
  ['startsWith', textual('startsWith', (text, part) => text.startsWith(part))],
  ['endsWith', textual('endsWith', (text, part) => text.endsWith(part))],
  ['type', typeOfValue],
  ['dyn', (value) => value as Value],
  ...[...CONVERSIONS.keys()].map((name): [string, Implementation] => [name, (value) => convert(value as Value, name)]),
  ...TIME_PARTS.map((name): [string, Implementation] => [name, timed(name)]),
]);

/** The language itself. Its functions accept any values, as those of the reference do. */
export const STANDARD_LIBRARY: Library = [...STANDARD_DECLARATIONS].map(([name, forms]) => {
  const any = IMPLEMENTATIONS.get(name);
  return any ? { name, forms, any } : { name, forms };
});

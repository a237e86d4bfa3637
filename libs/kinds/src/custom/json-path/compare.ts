import type { JsonValue } from '@orch/machinery';

type Kind = 'bool' | 'int' | 'float' | 'string';

function kindOf(value: JsonValue, fraction: boolean): Kind | undefined {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return fraction || !Number.isInteger(value) ? 'float' : 'int';
  return undefined;
}

/** Texts by their bytes in UTF-8, which is not the order of their UTF-16 units. */
const isLess = (a: JsonValue, b: JsonValue): boolean =>
  typeof a === 'string' && typeof b === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a! < b!;

/** Integers are compared whichever way they are held. */
// biome-ignore lint/suspicious/noDoubleEquals: 1 and 1n are the same here
const isEqual = (a: JsonValue, b: JsonValue): boolean => a == b;

/** A value, and whether it is a number that was written with a point. */
export interface Operand {
  readonly value: JsonValue;
  readonly fraction: boolean;
}

/**
 * Compares two values by an operator: both booleans (only for equality), integers, fractions or texts.
 * @returns undefined if they are not comparable, or the operator is unknown
 */
export function compareAs(operator: string, left: Operand, right: Operand): boolean | undefined {
  const [a, b] = [left.value, right.value];
  const kind = kindOf(a, left.fraction);
  if (kind === undefined || kind !== kindOf(b, right.fraction)) return undefined;
  if (operator === '==') return isEqual(a, b);
  if (operator === '!=') return !isEqual(a, b);
  if (kind === 'bool') return undefined;
  if (operator === '<') return isLess(a, b);
  if (operator === '>') return isLess(b, a);
  if (operator === '<=') return !isLess(b, a);
  if (operator === '>=') return !isLess(a, b);
  return undefined;
}

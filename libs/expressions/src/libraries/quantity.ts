import { parseQuantity, Quantity, QuantityError } from '@orch/machinery';
import { BOOL, DOUBLE, INT, objectOf, STRING } from '../types/type.js';
import { Failure, failureOr, Opaque, type Value } from '../values/value.js';
import { globalForm, type Library, methodForm } from './library.js';

const NAME = 'kubernetes.Quantity';
const QUANTITY = objectOf(NAME);
const NANO = 1_000_000_000n;
const MAX_INT = (1n << 63n) - 1n;

class QuantityValue extends Opaque {
  override readonly typeName = NAME;

  constructor(readonly quantity: Quantity) {
    super();
  }

  override equals(other: Value): boolean | Failure {
    return other instanceof QuantityValue ? this.quantity.nanos === other.quantity.nanos : failureOr(other);
  }
}

function read(text: Value | undefined): QuantityValue | Failure {
  try {
    return new QuantityValue(parseQuantity(text as string));
  } catch (error) {
    if (error instanceof QuantityError) return new Failure(error.message);
    throw error;
  }
}

const nanosOf = (value: Value | undefined): bigint => (value as QuantityValue).quantity.nanos;
const order = (a: bigint, b: bigint): bigint => (a < b ? -1n : a > b ? 1n : 0n);

/** Returns whole units; undefined beyond 64 bits. */
function wholeOf(value: Value | undefined): bigint | undefined {
  const nanos = nanosOf(value);
  if (nanos % NANO !== 0n) return undefined;
  const whole = nanos / NANO;
  return whole > MAX_INT || whole < -MAX_INT - 1n ? undefined : whole;
}

/** Adds or subtracts amounts; formatted like the first. */
function combined(a: Value | undefined, b: Value | undefined, sign: 1n | -1n): Value {
  const nanos = typeof b === 'bigint' ? b * NANO : nanosOf(b);
  const { quantity } = a as QuantityValue;
  return new QuantityValue(new Quantity(quantity.nanos + sign * nanos, quantity.format));
}

const combining = (name: string, sign: 1n | -1n) => ({
  name,
  forms: [
    methodForm(`quantity_${name}`, [QUANTITY, QUANTITY], QUANTITY, (a, b) => combined(a, b, sign)),
    methodForm(`quantity_${name}_int`, [QUANTITY, INT], QUANTITY, (a, b) => combined(a, b, sign)),
  ],
});

const comparing = (name: string, id: string, holds: (order: bigint) => Value, result = BOOL) => ({
  name,
  forms: [methodForm(id, [QUANTITY, QUANTITY], result, (a, b) => holds(order(nanosOf(a), nanosOf(b))))],
});

/** Functions on resource quantities, of release 1.28. */
export const QUANTITY_LIBRARY: Library = [
  { name: 'quantity', forms: [globalForm('string_to_quantity', [STRING], QUANTITY, read)] },
  {
    name: 'isQuantity',
    forms: [globalForm('is_quantity_string', [STRING], BOOL, (text) => !(read(text) instanceof Failure))],
  },
  { name: 'sign', forms: [methodForm('quantity_sign', [QUANTITY], INT, (quantity) => order(nanosOf(quantity), 0n))] },
  comparing('isGreaterThan', 'quantity_is_greater_than', (found) => found > 0n),
  comparing('isLessThan', 'quantity_is_less_than', (found) => found < 0n),
  comparing('compareTo', 'quantity_compare_to', (found) => found, INT),
  {
    name: 'asApproximateFloat',
    forms: [methodForm('quantity_get_float', [QUANTITY], DOUBLE, (quantity) => Number(nanosOf(quantity)) / 1e9)],
  },
  {
    name: 'asInteger',
    forms: [
      methodForm(
        'quantity_get_int',
        [QUANTITY],
        INT,
        (quantity) => wholeOf(quantity) ?? new Failure('cannot convert value to integer'),
      ),
    ],
  },
  {
    name: 'isInteger',
    forms: [methodForm('quantity_is_integer', [QUANTITY], BOOL, (quantity) => wholeOf(quantity) !== undefined)],
  },
  combining('add', 1n),
  combining('sub', -1n),
];

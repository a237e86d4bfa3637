import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  paramOf,
  STRING,
  TIMESTAMP,
  UINT,
} from '../types/type.js';
import { add } from '../values/arithmetic.js';
import { compare, equalTo, isComparable } from '../values/compare.js';
import {
  Duration,
  EvaluationBudget,
  Failure,
  failureOr,
  List,
  noSuchOverload,
  Uint,
  type Value,
} from '../values/value.js';
import { type Form, type Library, methodForm } from './library.js';

const A = paramOf('A');
const COMPARABLE: readonly (readonly [string, CelType])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];
const SUMMABLE: readonly (readonly [string, CelType, Value])[] = [
  ['int', INT, 0n],
  ['uint', UINT, new Uint(0n)],
  ['double', DOUBLE, 0],
  ['duration', DURATION, new Duration(0n)],
];

function isSorted(list: Value | undefined): Value {
  if (!(list instanceof List)) return noSuchOverload();
  for (let i = 0; i < list.size; i++) {
    const value = list.at(i);
    if (!isComparable(value)) return failureOr(value);
    if (i > 0 && compare(list.at(i - 1), value) === 1) return false;
  }
  return true;
}

const sumFrom =
  (zero: Value) =>
  (list: Value | undefined): Value => {
    if (!(list instanceof List)) return noSuchOverload();
    let sum = zero;
    for (let i = 0; i < list.size; i++) {
      const value = list.at(i);
      sum = value instanceof Failure ? value : add(sum, value);
      if (sum instanceof Failure) return sum;
    }
    return sum;
  };

/** Finds the element that wins all comparisons. */
const preferred =
  (name: string, better: 1 | -1) =>
  (list: Value | undefined): Value => {
    if (!(list instanceof List)) return noSuchOverload();
    let best: Value | undefined;
    for (let i = 0; i < list.size; i++) {
      const value = list.at(i);
      if (!isComparable(value)) return failureOr(value);
      if (best === undefined || compare(best, value) === better) best = value;
    }
    return best === undefined ? new Failure(`${name} called on empty list`) : best;
  };

function positions(list: Value | undefined, item: Value | undefined, last: boolean): Value {
  if (!(list instanceof List)) return noSuchOverload();
  const effort = new EvaluationBudget();
  for (let i = 0; i < list.size; i++) {
    const index = last ? list.size - 1 - i : i;
    if (equalTo(list.at(index), item as Value, effort) === true) return BigInt(index);
  }
  return -1n;
}

const forEach = (
  types: readonly (readonly [string, CelType, ...unknown[]])[],
  form: (name: string, type: CelType) => Form,
): Form[] => types.map(([name, type]) => form(name, type));

const best = (name: string, better: 1 | -1) => ({
  name,
  forms: forEach(COMPARABLE, (type, element) =>
    methodForm(`list_${type}_${name}_${type}`, [listOf(element)], element, preferred(name, better)),
  ),
});

/** Functions on lists that Kubernetes adds to the language. */
export const LISTS_LIBRARY: Library = [
  {
    name: 'isSorted',
    forms: forEach(COMPARABLE, (name, type) =>
      methodForm(`list_${name}_is_sorted_bool`, [listOf(type)], BOOL, isSorted),
    ),
  },
  {
    name: 'sum',
    forms: SUMMABLE.map(([name, type, zero]) =>
      methodForm(`list_${name}_sum_${name}`, [listOf(type)], type, sumFrom(zero)),
    ),
  },
  best('max', -1),
  best('min', 1),
  {
    name: 'indexOf',
    forms: [methodForm('list_a_index_of_int', [listOf(A), A], INT, (list, item) => positions(list, item, false))],
  },
  {
    name: 'lastIndexOf',
    forms: [methodForm('list_a_last_index_of_int', [listOf(A), A], INT, (list, item) => positions(list, item, true))],
  },
];

import { Operator } from '../syntax/operators.js';
import { BOOL, type CelType, DYN, INT, listOf, mapOf, optionalOf, paramOf, STRING } from '../types/type.js';
import { ValueList } from '../values/lists.js';
import { NONE, OptionalValue } from '../values/optionals.js';
import { Dictionary, Duration, Failure, List, Timestamp, Uint, type Value } from '../values/value.js';
import { type Form, globalForm, type Implementation, type Library, methodForm } from './library.js';

const K = paramOf('K');
const V = paramOf('V');
const LIST = listOf(V);
const MAP = mapOf(K, V);
const OPTIONAL_V = optionalOf(V);
const OPTIONALS = listOf(OPTIONAL_V);

/** Year 1, the value of an unset time. */
const NO_TIME = -62_135_596_800_000_000_000n;

function isZero(value: Value): boolean {
  if (value instanceof List || value instanceof Dictionary) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanoseconds === 0n;
  if (value instanceof Timestamp) return value.nanoseconds === NO_TIME;
  if (value instanceof OptionalValue) return value.value === undefined;
  return value === null || value === false || value === 0n || value === 0 || value === '';
}

const valueIn: Implementation = (optional) =>
  (optional as OptionalValue).value ?? new Failure('optional.none() dereference');

const itemOf =
  (place: 0 | -1): Implementation =>
  (list) => {
    const { size } = list as List;
    return size === 0 ? NONE : new OptionalValue((list as List).at(place === 0 ? 0 : size - 1));
  };

const unwrapped: Implementation = (list) => {
  const values: Value[] = [];
  for (let i = 0; i < (list as List).size; i++) {
    const optional = (list as List).at(i);
    if (optional instanceof Failure) return optional;
    if (!(optional instanceof OptionalValue)) return new Failure(`value ${String(optional)} is not optional`);
    if (optional.value !== undefined) values.push(optional.value);
  }
  return new ValueList(values);
};

/** A form of an operator that the planner implements itself. */
const planned = (id: string, params: readonly CelType[]): Form =>
  globalForm(id, params, OPTIONAL_V, () => new Failure('no such overload'));
const plannedMethod = (id: string, params: readonly CelType[], result: CelType): Form =>
  methodForm(id, params, result, () => new Failure('no such overload'));

/** Functions on optional values, of release 1.28 and later (cel-go, cel/library.go). */
export const OPTIONALS_LIBRARY: Library = [
  {
    name: 'optional.of',
    forms: [globalForm('optional_of', [V], OPTIONAL_V, (value) => new OptionalValue(value))],
  },
  {
    name: 'optional.ofNonZeroValue',
    forms: [
      globalForm('optional_ofNonZeroValue', [V], OPTIONAL_V, (value) =>
        isZero(value as Value) ? NONE : new OptionalValue(value),
      ),
    ],
  },
  { name: 'optional.none', forms: [globalForm('optional_none', [], OPTIONAL_V, () => NONE)] },
  { name: 'value', forms: [methodForm('optional_value', [OPTIONAL_V], V, valueIn)] },
  {
    name: 'hasValue',
    forms: [
      methodForm(
        'optional_hasValue',
        [OPTIONAL_V],
        BOOL,
        (optional) => (optional as OptionalValue).value !== undefined,
      ),
    ],
  },
  { name: 'or', forms: [plannedMethod('optional_or_optional', [OPTIONAL_V, OPTIONAL_V], OPTIONAL_V)] },
  { name: 'orValue', forms: [plannedMethod('optional_orValue_value', [OPTIONAL_V, V], V)] },
  { name: 'first', forms: [methodForm('list_first', [LIST], OPTIONAL_V, itemOf(0))] },
  { name: 'last', forms: [methodForm('list_last', [LIST], OPTIONAL_V, itemOf(-1))] },
  { name: 'optional.unwrap', forms: [globalForm('optional_unwrap', [OPTIONALS], LIST, unwrapped)] },
  { name: 'unwrapOpt', forms: [methodForm('optional_unwrapOpt', [OPTIONALS], LIST, unwrapped)] },
  { name: Operator.optionalSelect, forms: [planned('select_optional_field', [DYN, STRING])] },
  {
    name: Operator.optionalIndex,
    forms: [
      planned('list_optindex_optional_int', [LIST, INT]),
      planned('optional_list_optindex_optional_int', [optionalOf(LIST), INT]),
      planned('map_optindex_optional_value', [MAP, K]),
      planned('optional_map_optindex_optional_value', [optionalOf(MAP), K]),
    ],
  },
  {
    name: Operator.index,
    forms: [
      planned('optional_list_index_int', [optionalOf(LIST), INT]),
      planned('optional_map_index_value', [optionalOf(MAP), K]),
    ],
  },
];

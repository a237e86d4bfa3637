import { method, type Overload, overload } from '../types/declarations.js';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  paramOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../types/type.js';

const A = paramOf('A');
const B = paramOf('B');
const LIST = listOf(A);
const MAP = mapOf(A, B);

/** Named types of expressions, without those of libraries. */
export const STANDARD_TYPES: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['int', INT],
  ['uint', UINT],
  ['bool', BOOL],
  ['double', DOUBLE],
  ['bytes', BYTES],
  ['string', STRING],
  ['list', LIST],
  ['map', MAP],
  ['null_type', NULL],
  ['type', typeOf()],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
]);

/** `name_type: (type, type) -> type` for each type. */
const closed = (name: string, types: readonly (readonly [string, CelType])[]): Overload[] =>
  types.map(([suffix, type]) => overload(`${name}_${suffix}`, [type, type], type));

const INT64 = ['int64', INT] as const;
const UINT64 = ['uint64', UINT] as const;
const DOUBLES = ['double', DOUBLE] as const;
const NUMBERS = [INT64, UINT64, DOUBLES] as const;

/** The forms of a comparison: numbers with each other, all else with its own type. */
function comparison(name: string): Overload[] {
  const compared = (a: readonly [string, CelType], b: readonly [string, CelType]) =>
    overload(a === b ? `${name}_${a[0]}` : `${name}_${a[0]}_${b[0]}`, [a[1], b[1]], BOOL);
  const others: readonly (readonly [string, CelType])[] = [
    ['string', STRING],
    ['bytes', BYTES],
    ['timestamp', TIMESTAMP],
    ['duration', DURATION],
  ];
  return [
    overload(`${name}_bool`, [BOOL, BOOL], BOOL),
    ...NUMBERS.flatMap((a) => NUMBERS.map((b) => compared(a, b))),
    ...others.map((type) => compared(type, type)),
  ];
}

/** A conversion from each of the types. */
const conversion = (
  to: string,
  result: CelType,
  from: readonly (readonly [string, CelType])[],
): [string, Overload[]] => [to, from.map(([name, type]) => overload(`${name}_to_${to}`, [type], result))];

/** A part of a time: without and with a zone, and for some of a duration. */
function timePart(name: string, suffix: string, ofDuration = false): [string, Overload[]] {
  const forms = [
    method(`timestamp_to_${suffix}`, [TIMESTAMP], INT),
    method(`timestamp_to_${suffix}_with_tz`, [TIMESTAMP, STRING], INT),
  ];
  return [name, ofDuration ? [...forms, method(`duration_to_${suffix}`, [DURATION], INT)] : forms];
}

const text = (name: string, suffix: string): [string, Overload[]] => [name, [method(suffix, [STRING, STRING], BOOL)]];

const S = (name: string, type: CelType): readonly [string, CelType] => [name, type];
const ints = [S('int64', INT), S('uint64', UINT), S('double', DOUBLE), S('string', STRING)];

/** Functions and operators of the language itself (cel-go, checker/standard.go), with the identifiers for costs. */
export const STANDARD_DECLARATIONS: ReadonlyMap<string, readonly Overload[]> = new Map<string, readonly Overload[]>([
  ['_?_:_', [overload('conditional', [BOOL, A, A], A)]],
  ['_&&_', [overload('logical_and', [BOOL, BOOL], BOOL)]],
  ['_||_', [overload('logical_or', [BOOL, BOOL], BOOL)]],
  ['!_', [overload('logical_not', [BOOL], BOOL)]],
  ['@not_strictly_false', [overload('not_strictly_false', [BOOL], BOOL)]],
  ['_==_', [overload('equals', [A, A], BOOL)]],
  ['_!=_', [overload('not_equals', [A, A], BOOL)]],
  [
    '_-_',
    [
      ...closed('subtract', NUMBERS),
      overload('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION),
      overload('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
      overload('subtract_duration_duration', [DURATION, DURATION], DURATION),
    ],
  ],
  ['_*_', closed('multiply', NUMBERS)],
  ['_/_', closed('divide', NUMBERS)],
  ['_%_', closed('modulo', [INT64, UINT64])],
  [
    '_+_',
    [
      ...closed('add', [...NUMBERS, S('string', STRING), S('bytes', BYTES)]),
      overload('add_list', [LIST, LIST], LIST),
      overload('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
      overload('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP),
      overload('add_duration_duration', [DURATION, DURATION], DURATION),
    ],
  ],
  ['-_', [overload('negate_int64', [INT], INT), overload('negate_double', [DOUBLE], DOUBLE)]],
  ['_[_]', [overload('index_list', [LIST, INT], A), overload('index_map', [MAP, A], B)]],
  [
    'size',
    [
      method('string_size', [STRING], INT),
      method('bytes_size', [BYTES], INT),
      method('list_size', [LIST], INT),
      method('map_size', [MAP], INT),
      overload('size_string', [STRING], INT),
      overload('size_bytes', [BYTES], INT),
      overload('size_list', [LIST], INT),
      overload('size_map', [MAP], INT),
    ],
  ],
  ['@in', [overload('in_list', [A, LIST], BOOL), overload('in_map', [A, MAP], BOOL)]],
  ['type', [overload('type', [A], typeOf(A))]],
  conversion('int', INT, [...ints, S('timestamp', TIMESTAMP), S('duration', DURATION)]),
  conversion('uint', UINT, [S('uint64', UINT), S('int64', INT), S('double', DOUBLE), S('string', STRING)]),
  conversion('double', DOUBLE, [S('double', DOUBLE), S('int64', INT), S('uint64', UINT), S('string', STRING)]),
  conversion('bool', BOOL, [S('bool', BOOL), S('string', STRING)]),
  conversion('string', STRING, [
    S('string', STRING),
    S('bool', BOOL),
    S('int64', INT),
    S('uint64', UINT),
    S('double', DOUBLE),
    S('bytes', BYTES),
    S('timestamp', TIMESTAMP),
    S('duration', DURATION),
  ]),
  conversion('bytes', BYTES, [S('bytes', BYTES), S('string', STRING)]),
  conversion('timestamp', TIMESTAMP, [S('timestamp', TIMESTAMP), S('string', STRING), S('int64', INT)]),
  conversion('duration', DURATION, [S('duration', DURATION), S('string', STRING), S('int64', INT)]),
  ['dyn', [overload('to_dyn', [A], DYN)]],
  text('contains', 'contains_string'),
  text('endsWith', 'ends_with_string'),
  text('matches', 'matches_string'),
  text('startsWith', 'starts_with_string'),
  timePart('getFullYear', 'year'),
  timePart('getMonth', 'month'),
  timePart('getDayOfYear', 'day_of_year'),
  timePart('getDayOfMonth', 'day_of_month'),
  timePart('getDate', 'day_of_month_1_based'),
  timePart('getDayOfWeek', 'day_of_week'),
  timePart('getHours', 'hours', true),
  timePart('getMinutes', 'minutes', true),
  timePart('getSeconds', 'seconds', true),
  timePart('getMilliseconds', 'milliseconds', true),
  ['_<_', comparison('less')],
  ['_<=_', comparison('less_equals')],
  ['_>_', comparison('greater')],
  ['_>=_', comparison('greater_equals')],
]);

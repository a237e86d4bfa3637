import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { Environment, LATER_OPTIONS } from '../environment.js';
import { PlanError } from '../evaluation/planner.js';
import { ExpressionError } from '../syntax/issues.js';
import {
  ANY,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  OPTIONAL,
  optionalOf,
  STRING,
  sameType,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../types/type.js';
import { equal } from '../values/compare.js';
import { ValueList } from '../values/lists.js';
import { ValueMap } from '../values/maps.js';
import { parseTimestamp } from '../values/times.js';
import { Duration, EvaluationBudget, Failure, TypeValue, typeNameOf, Uint, type Value } from '../values/value.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** One case of the public suite. */
export interface ConformanceCase {
  /** Sections and name. */
  readonly id: string;
  readonly expr: string;
  readonly original: JsonObject;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: { readonly name?: string; readonly expr: string } }[];
}

function gathered({ name, suites = [], tests = [] }: Suite, prefix: string): ConformanceCase[] {
  const path = prefix === '' ? name : `${prefix}/${name}`;
  const own = tests.map(({ original }, i) => ({
    id: `${path}/${original.name ?? i}`,
    expr: original.expr,
    original: original as JsonObject,
  }));
  return [...own, ...suites.flatMap((suite) => gathered(suite, path))];
}

/** All cases of the suite. */
export const conformanceCases = (): ConformanceCase[] =>
  (conformance as Suite).suites?.flatMap((suite) => gathered(suite, '')) ?? [];

/** Thrown for cases that speak of what this language of ours does not have: messages and enums of protobuf. */
class Inapplicable extends Error {}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
  ANY,
  TIMESTAMP,
  DURATION,
};

/** A type in the form of the suite. */
function declared(type: JsonObject): CelType {
  const [kind, inner] = Object.entries(type)[0] as [string, JsonObject & string];
  const part = (name: string) => declared((inner[name] ?? { dyn: {} }) as JsonObject);
  switch (kind) {
    case 'primitive':
    case 'wellKnown':
      return PRIMITIVES[inner] ?? DYN;
    case 'listType':
      return listOf(part('elemType'));
    case 'mapType':
      return mapOf(part('keyType'), part('valueType'));
    case 'dyn':
      return DYN;
    case 'null':
      return NULL;
    case 'type':
      return typeOf();
    case 'abstractType':
      return abstractOf(inner);
    default:
      throw new Inapplicable(kind);
  }
}

/** An optional; there are no others. */
function abstractOf({ name, parameterTypes = [] }: JsonObject): CelType {
  if (name !== OPTIONAL) throw new Inapplicable('abstractType');
  return optionalOf(declared(((parameterTypes as JsonObject[])[0] ?? { dyn: {} }) as JsonObject));
}

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** A value in the form of the suite. */
function valueIn(json: JsonObject): Value {
  const [kind, inner] = Object.entries(json)[0] as [string, Json];
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return inner as boolean | string;
    case 'int64Value':
      return BigInt(inner as string);
    case 'uint64Value':
      return new Uint(BigInt(inner as string));
    case 'doubleValue':
      return Number(inner === 'Infinity' ? Number.POSITIVE_INFINITY : inner);
    case 'bytesValue':
      return bytes(inner as string);
    case 'typeValue':
      return new TypeValue(inner as string);
    case 'listValue':
      return new ValueList(((inner as JsonObject).values as JsonObject[] | undefined)?.map(valueIn) ?? []);
    case 'mapValue':
      return new ValueMap(
        ((inner as JsonObject).entries as JsonObject[] | undefined)?.map(
          ({ key, value }) => [valueIn(key as JsonObject), valueIn(value as JsonObject)] as const,
        ) ?? [],
      );
    case 'objectValue':
      return wellKnown(inner as JsonObject);
    default:
      throw new Inapplicable(kind);
  }
}

function wellKnown(object: JsonObject): Value {
  const value = object.value as string;
  if (object['@type'] === 'type.googleapis.com/google.protobuf.Timestamp') return parseTimestamp(value);
  if (object['@type'] !== 'type.googleapis.com/google.protobuf.Duration') throw new Inapplicable('message');
  return new Duration(BigInt(Math.round(Number(value.slice(0, -1)) * 1e9)));
}

const environment = new Environment({ ...LATER_OPTIONS, homogeneousLiterals: false });

/** The answer to a case: what it should be, and what came of it; `inapplicable` where it speaks of what we do not have. */
export function judge({ original }: ConformanceCase): 'passed' | 'inapplicable' | { readonly got: string } {
  try {
    if (original.container !== undefined) return 'inapplicable';
    return judged(original);
  } catch (error) {
    if (error instanceof Inapplicable) return 'inapplicable';
    if (error instanceof ExpressionError || error instanceof PlanError) return failed(original, error.message);
    throw error;
  }
}

const failed = (original: JsonObject, message: string) =>
  original.evalError !== undefined ? ('passed' as const) : { got: message };

function judged(original: JsonObject): ReturnType<typeof judge> {
  const declarations = (original.typeEnv ?? []) as JsonObject[];
  const variables = new Map<string, CelType>();
  for (const { name, ident } of declarations) {
    if (ident === undefined) throw new Inapplicable('function');
    variables.set(name as string, declared((ident as JsonObject).type as JsonObject));
  }
  const bindings = new Map<string, Value>();
  for (const [name, bound] of Object.entries((original.bindings ?? {}) as JsonObject))
    bindings.set(name, valueIn((bound as JsonObject).value as JsonObject));
  const result = original.value ?? (original.typedResult as JsonObject | undefined)?.result;
  const wanted = result === undefined ? true : valueIn(result as JsonObject);
  const scope = { variables, fieldType: () => undefined, hasType: () => false };
  const expression = environment.compile(original.expr as string, scope);
  if (original.typedResult !== undefined) {
    const deduced = declared((original.typedResult as JsonObject).deducedType as JsonObject);
    if (!sameType(expression.type, deduced)) return { got: formatType(expression.type) };
    if (original.checkOnly === true) return 'passed';
  }
  const { value } = expression.program().evaluate(bindings, 1_000_000);
  if (value instanceof Failure) return failed(original, value.message);
  if (original.evalError !== undefined) return { got: `${typeNameOf(value)} instead of a failure` };
  return same(value, wanted) ? 'passed' : { got: `${typeNameOf(value)} ${String(value)}` };
}

function same(value: Value, wanted: Value): boolean {
  if (Number.isNaN(wanted)) return Number.isNaN(value);
  return typeNameOf(value) === typeNameOf(wanted) && equal(value, wanted, new EvaluationBudget()) === true;
}

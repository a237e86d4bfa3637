import type { DeclaredSizes } from '../cost/estimate.js';
import { range } from '../cost/range.js';
import type { Scope } from '../types/declarations.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  STRING,
  TIMESTAMP,
  type Type,
} from '../types/type.js';
import { escapeName } from './escape.js';
import { type Count, isEmbedded, type StructuralSchema, valueSchemaOf, withObjectMeta } from './structural-schema.js';

/** Bytes of the largest request, by which sizes without a bound are estimated. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** What a schema says of values to expressions: their type, and how many elements or characters they have at most. */
export interface DeclaredType {
  /** Of the value; `dyn` where the schema says nothing. */
  readonly type: Type;
  /** 0 for values without a size. */
  readonly maxElements: number;
  /** Bytes that the shortest value takes as JSON. */
  readonly minBytes: number;
  /** Of the elements of a list, the values of a map. */
  readonly element?: DeclaredType;
  /** Of an object, by the names by which expressions know them. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
}

const bounded = (count: Count): number => Math.max(0, Number(count));
const simple = (type: Type, minBytes: number, maxElements = 0): DeclaredType => ({ type, minBytes, maxElements });
/** Characters of the longest text, without its quotes. */
const LONGEST_TEXT = MAX_REQUEST_BYTES - 2;

/**
 * What a schema declares (k8s.io/apiserver, cel/common/schemas.go); undefined where it says nothing that expressions could
 * use.
 * @param isRoot it is the schema of a whole object
 * @param name of the type, if it is one of objects; those of its fields follow from it
 */
export function declaredType(schema: StructuralSchema, isRoot: boolean, name: string): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string']) return simple(DYN, 1, LONGEST_TEXT);
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object': {
      const whole = isRoot ? withObjectMeta(schema) : schema;
      const values = valueSchemaOf(whole);
      return values ? mapType(whole, values, name) : objectType(whole, name);
    }
    case 'string':
      return textType(schema);
    case 'boolean':
      return simple(BOOL, 4);
    case 'number':
      return simple(DOUBLE, 1);
    case 'integer':
      return simple(INT, 1);
  }
  return undefined;
}

function listType({ items, maxItems }: StructuralSchema, name: string): DeclaredType | undefined {
  const element = items && declaredType(items, isEmbedded(items), `${name}.@idx`);
  if (!element) return undefined;
  const most = maxItems === undefined ? Math.trunc(LONGEST_TEXT / (element.minBytes + 1)) : bounded(maxItems);
  return { type: listOf(element.type), maxElements: most, minBytes: 2, element };
}

function mapType(schema: StructuralSchema, values: StructuralSchema, name: string): DeclaredType | undefined {
  const element = declaredType(values, isEmbedded(values), `${name}.@elem`);
  if (!element) return undefined;
  const { maxProperties } = schema;
  const most = maxProperties === undefined ? Math.trunc(LONGEST_TEXT / (element.minBytes + 6)) : bounded(maxProperties);
  return { type: mapOf(STRING, element.type), maxElements: most, minBytes: 2, element };
}

function objectType({ properties = {}, required = [] }: StructuralSchema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  const needed = new Set(required);
  let minBytes = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const escaped = escapeName(property);
    const field = declaredType(schema, isEmbedded(schema), `${name}.${escaped ?? property}`);
    if (!field) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (needed.has(property) && (schema.default === undefined || schema.default === null))
      minBytes += Buffer.byteLength(property) + field.minBytes + 4;
  }
  return { type: objectOf(name), maxElements: 0, minBytes, fields };
}

function textType({ format, maxLength }: StructuralSchema): DeclaredType {
  const most = maxLength === undefined ? undefined : bounded(maxLength);
  switch (format) {
    case 'byte':
      return simple(BYTES, 2, most ?? LONGEST_TEXT);
    case 'duration':
      return simple(DURATION, 3, 32);
    case 'date':
      return simple(TIMESTAMP, 12, 12);
    case 'date-time':
      return simple(TIMESTAMP, 21, 32);
  }
  // A character takes up to four bytes.
  return simple(STRING, 2, most === undefined ? LONGEST_TEXT : most * 4);
}

/** The scope of expressions on a type: variables of it, and the fields of the objects in it. */
export function scopeOf(declared: DeclaredType, variables: readonly string[]): Scope {
  const objects = new Map<string, ReadonlyMap<string, DeclaredType>>();
  gather(declared, objects);
  return {
    variables: new Map(variables.map((variable) => [variable, declared.type])),
    fieldType: (object, field) => objects.get(object)?.get(field)?.type,
    hasType: (object) => objects.has(object),
  };
}

function gather(
  { type, fields, element }: DeclaredType,
  objects: Map<string, ReadonlyMap<string, DeclaredType>>,
): void {
  if (element) gather(element, objects);
  if (!fields || type.kind !== 'object') return;
  objects.set(type.name, fields);
  for (const field of fields.values()) gather(field, objects);
}

/** Sizes of what stands in values of a type; every variable is taken for one of it. */
export function sizesOf(declared: DeclaredType): DeclaredSizes {
  return (path) => {
    let at: DeclaredType | undefined = declared;
    for (const step of path.slice(1)) {
      if (step === '@keys') at = at.type.kind === 'map' ? KEY : undefined;
      else at = step === '@items' || step === '@values' ? at.element : at.fields?.get(step);
      if (!at) return undefined;
    }
    return range(0n, BigInt(at.maxElements));
  };
}

/** Keys of maps, which have no bound of their own. */
const KEY = simple(STRING, 2);

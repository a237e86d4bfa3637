import type { DeclaredSizes } from '../cost/estimate.js';
import { range } from '../cost/range.js';
import type { Scope } from '../types/declarations.js';
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
  objectOf,
  STRING,
  TIMESTAMP,
} from '../types/type.js';
import { escapeName, unescapeName } from './escape.js';
import { type Count, isEmbedded, type SchemaProps, valueSchemaOf, withObjectMeta } from './structural-schema.js';

/** Bytes of the largest request, for estimating unbounded sizes. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** Declaration of values for expressions: their type, and the maximum number of their elements or characters. */
export type DeclaredType = DeclaredScalar | DeclaredList | DeclaredMap | DeclaredObject;

/** A value without parts; `dyn` if the schema does not declare its type. */
class DeclaredScalar {
  readonly kind = 'scalar';

  constructor(
    readonly type: CelType,
    /** Bytes of the shortest value as JSON. */
    readonly minBytes: number,
    /** 0 for values without a size. */
    readonly maxElements = 0,
  ) {}
}

class DeclaredList {
  readonly kind = 'list';
  readonly minBytes = 2;

  constructor(
    readonly element: DeclaredType,
    private readonly maxItems: Count | undefined,
  ) {}

  get maxElements(): number {
    return this.maxItems === undefined
      ? Math.trunc(LONGEST_TEXT / (this.element.minBytes + 1))
      : bounded(this.maxItems);
  }
}

class DeclaredMap {
  readonly kind = 'map';
  readonly minBytes = 2;

  constructor(
    /** Declaration of the values. */
    readonly element: DeclaredType,
    private readonly maxProperties: Count | undefined,
  ) {}

  get maxElements(): number {
    return this.maxProperties === undefined
      ? Math.trunc(LONGEST_TEXT / (this.element.minBytes + 6))
      : bounded(this.maxProperties);
  }
}

/** An object, whose fields are declared on demand: schemas are large, and expressions use little of them. */
class DeclaredObject {
  readonly kind = 'object';
  readonly maxElements = 0;
  readonly #fields = new Map<string, DeclaredType | undefined>();
  #minBytes: number | undefined;

  constructor(private readonly schema: SchemaProps) {}

  get minBytes(): number {
    this.#minBytes ??= this.#countBytes();
    return this.#minBytes;
  }

  /** Returns a field by its name in expressions. */
  field(escaped: string): DeclaredType | undefined {
    const name = unescapeName(escaped);
    return name !== undefined && escapeName(name) === escaped ? this.#property(name) : undefined;
  }

  #property(name: string): DeclaredType | undefined {
    if (this.#fields.has(name)) return this.#fields.get(name);
    const { properties = {} } = this.schema;
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const declared = schema && declaredType(schema, isEmbedded(schema));
    this.#fields.set(name, declared);
    return declared;
  }

  #countBytes(): number {
    const { properties = {}, required = [] } = this.schema;
    let bytes = 2;
    for (const name of new Set(required)) {
      const field = this.#property(name);
      const given = field && properties[name]?.default;
      if (field && (given === undefined || given === null)) bytes += Buffer.byteLength(name) + field.minBytes + 4;
    }
    return bytes;
  }
}

const bounded = (count: Count): number => Math.max(0, Number(count));
/** Characters of the longest text, without its quotes. */
const LONGEST_TEXT = MAX_REQUEST_BYTES - 2;

/**
 * Returns the declaration of a schema (k8s.io/apiserver, cel/common/schemas.go); undefined if it declares nothing that
 * expressions could use.
 * @param isRoot it is the schema of a whole object
 */
export function declaredType(schema: SchemaProps, isRoot: boolean): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string']) return new DeclaredScalar(DYN, 1, LONGEST_TEXT);
  switch (schema.type) {
    case 'array': {
      const { items, maxItems } = schema;
      const element = items && declaredType(items, isEmbedded(items));
      return element && new DeclaredList(element, maxItems);
    }
    case 'object': {
      const values = valueSchemaOf(schema);
      if (!values) return new DeclaredObject(isRoot ? withObjectMeta(schema) : schema);
      const element = declaredType(values, isEmbedded(values));
      return element && new DeclaredMap(element, schema.maxProperties);
    }
    case 'string':
      return textType(schema);
    case 'boolean':
      return new DeclaredScalar(BOOL, 4);
    case 'number':
      return new DeclaredScalar(DOUBLE, 1);
    case 'integer':
      return new DeclaredScalar(INT, 1);
  }
  return undefined;
}

function textType({ format, maxLength }: SchemaProps): DeclaredType {
  const most = maxLength === undefined ? undefined : bounded(maxLength);
  switch (format) {
    case 'byte':
      return new DeclaredScalar(BYTES, 2, most ?? LONGEST_TEXT);
    case 'duration':
      return new DeclaredScalar(DURATION, 3, 32);
    case 'date':
      return new DeclaredScalar(TIMESTAMP, 12, 12);
    case 'date-time':
      return new DeclaredScalar(TIMESTAMP, 21, 32);
  }
  // A character takes up to four bytes.
  return new DeclaredScalar(STRING, 2, most === undefined ? LONGEST_TEXT : most * 4);
}

/**
 * Returns the scope of expressions on a type: variables of it, and the fields of the objects in it.
 * @param name of the type, if it is an object; those of its fields are derived from it
 */
export function scopeOf(declared: DeclaredType, variables: readonly string[], name: string): Scope {
  const objects = new Map<string, DeclaredObject>();
  /** Returns the type under its name; registers objects, so that their fields are found. */
  const typeOf = (each: DeclaredType, called: string): CelType => {
    switch (each.kind) {
      case 'scalar':
        return each.type;
      case 'list':
        return listOf(typeOf(each.element, `${called}.@idx`));
      case 'map':
        return mapOf(STRING, typeOf(each.element, `${called}.@elem`));
      case 'object':
        objects.set(called, each);
        return objectOf(called);
    }
  };
  const type = typeOf(declared, name);
  return {
    variables: new Map(variables.map((variable) => [variable, type])),
    fieldType(object, field) {
      const found = objects.get(object)?.field(field);
      return found && typeOf(found, `${object}.${field}`);
    },
    hasType: (object) => objects.has(object),
  };
}

/** Returns the sizes within values of a type; every variable is assumed to be of it. */
export function sizesOf(declared: DeclaredType): DeclaredSizes {
  return (path) => {
    let at: DeclaredType | undefined = declared;
    for (const step of path.slice(1)) {
      at = partOf(at, step);
      if (!at) return undefined;
    }
    return range(0n, BigInt(at.maxElements));
  };
}

/** Returns a part of a value, by a step of its path: the name of a field, `@items`, `@keys` or `@values`. */
export function partOf(declared: DeclaredType, step: string): DeclaredType | undefined {
  if (step === '@keys') return declared.kind === 'map' ? KEY : undefined;
  if (step === '@items' || step === '@values')
    return declared.kind === 'list' || declared.kind === 'map' ? declared.element : undefined;
  return declared.kind === 'object' ? declared.field(step) : undefined;
}

/** Keys of maps, which have no limit of their own. */
const KEY = new DeclaredScalar(STRING, 2);

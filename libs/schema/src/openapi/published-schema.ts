import type { JsonObject, JsonValue } from '@orch/machinery';
import { API_VERSION, KIND } from '../type-descriptions.js';
import type { Dialect } from './dialect.js';

/** Keywords of a structural schema that are published as they are, unless empty. */
const PLAIN = [
  'description',
  'title',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'required',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'maxProperties',
  'minProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;
const JUNCTORS = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * A structural schema as documents show it. Clients of version 2 cannot handle alternatives, nulls, and named members
 * or elements beside free ones: these are left out there.
 * @param metadata schema to use for the metadata of embedded objects
 */
export function publishedSchema(schema: JsonObject, dialect: Dialect, metadata: JsonObject): JsonObject {
  return new Publishing(dialect.siblingsOfRef, metadata).schema(schema);
}

class Publishing {
  constructor(
    private readonly old: boolean,
    private readonly metadata: JsonObject,
  ) {}

  schema(schema: JsonObject): JsonObject {
    const made: JsonObject = {};
    for (const name of PLAIN) if (says(schema[name])) made[name] = published(schema[name]);
    const { additionalProperties, items, not } = schema;
    const opaque = this.old && (schema.nullable === true || schema[PRESERVES] === true);
    if (isObject(additionalProperties)) made.additionalProperties = this.schema(additionalProperties);
    else if (typeof additionalProperties === 'boolean') made.additionalProperties = additionalProperties;
    if (isObject(items) && !opaque) made.items = this.schema(items);
    if (isObject(schema.properties) && !opaque) made.properties = this.properties(schema.properties);
    if (this.old) forOldClients(made, schema);
    else {
      for (const name of JUNCTORS) if (isFull(schema[name])) made[name] = schema[name].map((each) => this.part(each));
      if (isObject(not)) made.not = this.schema(not);
    }
    return this.embedding(made);
  }

  private properties(properties: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, this.part(property)]));
  }

  private part(schema: JsonValue | undefined): JsonValue {
    return isObject(schema) ? this.schema(schema) : {};
  }

  /** Embedded objects have type and metadata, even if their schemas do not declare them. */
  private embedding(made: JsonObject): JsonObject {
    if (made[EMBEDDED] !== true || (this.old && made[PRESERVES] === true)) return made;
    const required = Array.isArray(made.required) ? made.required : [];
    return {
      ...made,
      properties: { ...(isObject(made.properties) ? made.properties : {}), ...TYPE, metadata: this.metadata },
      required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
    };
  }
}

const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

const TYPE: JsonObject = {
  apiVersion: { description: API_VERSION, type: 'string' },
  kind: { description: KIND, type: 'string' },
};

/** Removes from the copy `made` of a schema the parts that documents of version 2 leave out. */
function forOldClients(made: JsonObject, schema: JsonObject): void {
  const preserves = schema[PRESERVES] === true;
  if (schema.nullable === true || (preserves && schema.type === 'object')) delete made.type;
  delete made.nullable;
  if (made.type === 'array' && !made.items) delete made.type;
  const { additionalProperties, required } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const isNullable = (name: JsonValue) => {
    const property = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(property) && property.nullable === true;
  };
  const left = isFull(required) && made.properties ? required.filter((name) => !isNullable(name)) : required;
  const none = isObject(additionalProperties) && additionalProperties.nullable === true;
  if (none || !isFull(left)) delete made.required;
  else made.required = left;
}

/** Returns a value in which integers beyond 2^53 are fractions, which readers of documents take them for anyway. */
function published(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(published);
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, published(member)]));
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFull = (value: JsonValue | undefined): value is JsonValue[] => Array.isArray(value) && value.length > 0;

const says = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && value !== '' && value !== false && !(Array.isArray(value) && !isFull(value));

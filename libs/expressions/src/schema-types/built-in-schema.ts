import type { ScalarKind, Schema, StructSchema } from '@orch/schema';
import type { SchemaProps } from './structural-schema.js';

/** Leaves of built-in kinds as definitions would declare them; expressions cannot use others. */
const SCALARS: Readonly<Partial<Record<ScalarKind, SchemaProps>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer' },
  int64: { type: 'integer' },
  uint32: { type: 'integer' },
  uint64: { type: 'integer' },
  float: { type: 'number' },
  double: { type: 'number' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string' },
  quantity: { type: 'string' },
  intOrString: { 'x-kubernetes-int-or-string': true },
  rawExtension: { type: 'object' },
  fieldsV1: { type: 'object' },
};

const made = new WeakMap<StructSchema, SchemaProps>();

/**
 * Returns the schema of a built-in struct as a definition would declare it. Parts are made on demand: structs may
 * contain themselves.
 */
export function builtInSchema(struct: StructSchema): SchemaProps {
  const known = made.get(struct) ?? ofStruct(struct);
  made.set(struct, known);
  return known;
}

function ofStruct(struct: StructSchema): SchemaProps {
  if (struct.customJson) return {};
  let properties: SchemaProps['properties'];
  const fields = [...struct.fields.values()];
  return {
    type: 'object',
    required: fields.filter((field) => field.required).map(({ name }) => name),
    get properties() {
      properties ??= Object.fromEntries(fields.map(({ name, schema }) => [name, nodeOf(schema)]));
      return properties;
    },
  };
}

function nodeOf(schema: Schema): SchemaProps {
  switch (schema.kind) {
    case 'list':
      return { type: 'array', items: nodeOf(schema.items) };
    case 'map':
      return { type: 'object', additionalProperties: nodeOf(schema.values) };
    case 'struct':
      return builtInSchema(schema);
    default:
      return SCALARS[schema.kind] ?? {};
  }
}

import type { JsonObject, JsonValue } from '@orch/machinery';
import type { Field, ScalarKind, Schema, StructSchema } from '../model.js';
import type { Steps } from '../structural/index.js';
import type { ModelSource } from './custom-model.js';
import type { Dialect } from './dialect.js';

export const OPENAPI_V2: Dialect = { refPrefix: '#/definitions/', siblingsOfRef: true, oneOf: false };
export const OPENAPI_V3: Dialect = { refPrefix: '#/components/schemas/', siblingsOfRef: false, oneOf: true };

/** Scalars that are plain JSON types. */
const PLAIN: Readonly<Partial<Record<ScalarKind, JsonObject>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** Scalars that are models of their own, by the model's name below the machinery's prefix. */
const MODELS: Readonly<
  Partial<Record<ScalarKind, { readonly name: string; readonly v2: JsonObject; readonly v3?: JsonObject }>>
> = {
  time: { name: 'apis.meta.v1.Time', v2: { type: 'string', format: 'date-time' } },
  microTime: { name: 'apis.meta.v1.MicroTime', v2: { type: 'string', format: 'date-time' } },
  duration: { name: 'apis.meta.v1.Duration', v2: { type: 'string' } },
  fieldsV1: { name: 'apis.meta.v1.FieldsV1', v2: { type: 'object' } },
  quantity: {
    name: 'api.resource.Quantity',
    v2: { type: 'string' },
    v3: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  intOrString: {
    name: 'util.intstr.IntOrString',
    v2: { type: 'string', format: 'int-or-string' },
    v3: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  },
  rawExtension: { name: 'runtime.RawExtension', v2: { type: 'object' } },
};

/** Converts the schema model to schema objects of one dialect and collects the models they refer to. */
export class SchemaWriter {
  private readonly models = new Map<string, JsonObject>();
  private readonly seen = new Set<ModelSource>();
  private readonly waiting: ModelSource[] = [];

  /** @param machinery prefix of the machinery's models, up to and without `.apis.meta…` */
  constructor(
    private readonly dialect: Dialect,
    private readonly machinery: string,
    private readonly extensionPrefix: string,
    /** Returns members of a model that its struct does not have, such as the kinds that it is served as. */
    private readonly membersOf: (struct: StructSchema) => JsonObject,
  ) {}

  /** Returns a reference to the model; {@link finish} will include it. */
  reference(source: ModelSource): JsonObject {
    if (!this.seen.has(source)) {
      this.seen.add(source);
      this.waiting.push(source);
    }
    return { $ref: this.dialect.refPrefix + source.openapi };
  }

  /** Adds a model without a struct. */
  add(name: string, model: JsonObject): JsonObject {
    this.models.set(name, model);
    return { $ref: this.dialect.refPrefix + name };
  }

  /** Returns all models referred to, directly or not, in name order; each is a step. */
  *finish(): Steps<JsonObject> {
    for (let source = this.waiting.pop(); source; source = this.waiting.pop()) {
      const model =
        source.kind === 'custom' ? source.write((it) => this.reference(it), this.dialect) : this.model(source);
      this.models.set(source.openapi, model);
      yield;
    }
    return Object.fromEntries([...this.models].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @param owner the model that contains the field */
  schema(schema: Schema, owner = ''): JsonObject {
    switch (schema.kind) {
      case 'list':
        return { type: 'array', items: this.schema(schema.items, owner) };
      case 'map':
        return { type: 'object', additionalProperties: this.schema(schema.values, owner) };
      case 'struct':
        return this.reference(schema);
      case 'json':
        // A field of any value refers to the JSON model of its package.
        return this.add(`${owner.slice(0, owner.lastIndexOf('.'))}.JSON`, {});
      default:
        return this.scalar(schema.kind);
    }
  }

  private scalar(kind: ScalarKind): JsonObject {
    const model = MODELS[kind];
    if (!model) return { ...PLAIN[kind] };
    const shape = this.dialect.oneOf ? (model.v3 ?? model.v2) : model.v2;
    return this.add(`${this.machinery}.${model.name}`, { ...shape });
  }

  private model(struct: StructSchema): JsonObject {
    const description = struct.description ? { description: struct.description } : {};
    if (struct.customJson) return description;
    const fields = [...struct.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const required = fields.filter((field) => field.required).map((field) => field.name);
    return {
      ...description,
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map((field) => [field.name, this.property(field, struct.openapi)])),
      }),
      ...(struct.structType && this.extension('map-type', struct.structType)),
      ...(struct.discriminator && this.extension('unions', [unionOf(fields, struct.discriminator)])),
      ...this.membersOf(struct),
    };
  }

  private property(field: Field, owner: string): JsonObject {
    const schema = this.schema(field.schema, owner);
    const beside: JsonObject = {
      ...(field.description && { description: field.description }),
      ...(field.default !== undefined && { default: field.default }),
      // For a list they are the values of its items, which the reference system leaves out.
      ...(field.enum && field.schema.kind !== 'list' && { enum: [...field.enum] }),
      ...(field.listType && this.extension('list-type', field.listType)),
      ...(field.listMapKeys && this.extension('list-map-keys', [...field.listMapKeys])),
      ...(field.mapType && this.extension('map-type', field.mapType)),
      ...(field.patchStrategy && this.extension('patch-strategy', field.patchStrategy.join(','))),
      ...(field.patchMergeKey && this.extension('patch-merge-key', field.patchMergeKey)),
    };
    if (!('$ref' in schema) || this.dialect.siblingsOfRef) return { ...beside, ...schema };
    return Object.keys(beside).length === 0 ? schema : { ...beside, allOf: [schema] };
  }

  private extension(name: string, value: JsonValue): JsonObject {
    return { [this.extensionPrefix + name]: value };
  }
}

/** Each other field of a union, and the discriminator's value when it is set. */
function unionOf(fields: readonly Field[], discriminator: string): JsonObject {
  const others = fields.map(({ name }) => name).filter((name) => name !== discriminator);
  const values = Object.fromEntries(others.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]));
  return { discriminator, 'fields-to-discriminateBy': values };
}

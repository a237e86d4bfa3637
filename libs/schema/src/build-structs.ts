import type { JsonValue, Names } from '@orch/machinery';
import type { FieldDescriptor, FileDescriptor, StructDescriptor } from './descriptor.js';
import type { Field, ScalarKind, Schema, StructSchema } from './model.js';
import { API_VERSION, KIND } from './type-descriptions.js';

type MutableStruct = { -readonly [K in keyof StructSchema]: StructSchema[K] } & { fields: Map<string, Field> };

interface Declared {
  readonly descriptor: StructDescriptor;
  readonly schema: MutableStruct;
}

/** The structs of all files by id, with references between them resolved. */
export function buildStructs(files: readonly FileDescriptor[], names: Names): ReadonlyMap<string, StructSchema> {
  const declared = new Map<string, Declared>();
  for (const file of files) {
    const openapi = openApiPackage(file.openapi, names);
    for (const descriptor of file.structs) {
      const id = `${file.package}.${descriptor.name}`;
      declared.set(id, { descriptor, schema: emptyStruct(id, `${openapi}.${descriptor.name}`, descriptor) });
    }
  }
  const builder = new StructBuilder(declared, names);
  for (const each of declared.values()) builder.fill(each);
  return new Map([...declared].map(([id, { schema }]) => [id, schema]));
}

function emptyStruct(id: string, openapi: string, descriptor: StructDescriptor): MutableStruct {
  return {
    kind: 'struct',
    id,
    openapi,
    description: descriptor.doc ?? '',
    fields: new Map<string, Field>(),
    ...(descriptor.struct && { structType: descriptor.struct }),
    ...(descriptor.union && { discriminator: descriptor.union }),
    ...(descriptor.customJson && { customJson: true }),
  };
}

/** `io.orch.api.core.v1` with the product's domain, reversed, in the profile's form. */
function openApiPackage(canonical: string, names: Names): string {
  const domain = names.group('orch.io').split('.').reverse().join('.');
  return canonical.replace(/^io\.orch\./, `${domain}.`);
}

class StructBuilder {
  constructor(
    private readonly declared: ReadonlyMap<string, Declared>,
    private readonly names: Names,
  ) {}

  fill({ descriptor, schema }: Declared): void {
    if (descriptor.typed) for (const field of TYPE_FIELDS) schema.fields.set(field.name, field);
    this.addFields(schema, descriptor, undefined);
    const below = this.pathDefaults(descriptor);
    if (below.length > 0) schema.pathDefaults = below;
  }

  /** Adds the fields of a struct, those of inlined structs as its own; `above` are the inlining fields' numbers. */
  private addFields(into: MutableStruct, descriptor: StructDescriptor, above: readonly number[] | undefined): void {
    for (const field of descriptor.fields) {
      if (field.inline) {
        this.addFields(into, this.find(field.type).descriptor, [...(above ?? []), field.number]);
      } else {
        into.fields.set(field.name, this.field(field, descriptor.jsonOnly === true, above));
      }
    }
  }

  private field(descriptor: FieldDescriptor, jsonOnly: boolean, inlineNumbers: readonly number[] | undefined): Field {
    return {
      name: descriptor.name,
      schema: this.schema(descriptor.type),
      description: descriptor.doc ?? '',
      ...(!jsonOnly && { number: descriptor.number }),
      ...(inlineNumbers && { inlineNumbers }),
      required: descriptor.required ?? false,
      pointer: descriptor.pointer ?? false,
      omitEmpty: descriptor.omitEmpty ?? false,
      ...(descriptor.default !== undefined && { default: this.translated(descriptor.default) }),
      ...(descriptor.enum && { enum: descriptor.enum }),
      ...(descriptor.list && { listType: descriptor.list }),
      ...(descriptor.keys && { listMapKeys: descriptor.keys }),
      ...(descriptor.map && { mapType: descriptor.map }),
      ...(descriptor.patch && { patchStrategy: descriptor.patch }),
      ...(descriptor.mergeKey !== undefined && { patchMergeKey: descriptor.mergeKey }),
    };
  }

  private schema(type: string): Schema {
    if (type.startsWith('=[]')) return { kind: 'list', items: this.schema(type.slice(3)), wrapped: true };
    if (type.startsWith('[]')) return { kind: 'list', items: this.schema(type.slice(2)) };
    if (type.startsWith('{}')) return { kind: 'map', values: this.schema(type.slice(2)) };
    return type.includes('.') ? this.find(type).schema : { kind: type as ScalarKind };
  }

  private pathDefaults(descriptor: StructDescriptor): NonNullable<StructSchema['pathDefaults']> {
    const own = (descriptor.defaultsAt ?? []).map(({ path, value }) => ({
      path: path.split('.'),
      value: this.translated(value),
    }));
    const inlined = descriptor.fields.filter((field) => field.inline);
    return [...own, ...inlined.flatMap((field) => this.pathDefaults(this.find(field.type).descriptor))];
  }

  /** Translates default texts with the product's name to the profile's form. */
  private translated(value: JsonValue): JsonValue {
    return typeof value === 'string' ? this.names.key(value) : value;
  }

  private find(id: string): Declared {
    const found = this.declared.get(id);
    if (!found) throw new Error(`declarations refer to ${id}, which none declares`);
    return found;
  }
}

const typeField = (name: string, description: string): Field => ({
  name,
  schema: { kind: 'string' },
  description,
  required: false,
  pointer: false,
  omitEmpty: true,
});

const TYPE_FIELDS: readonly Field[] = [typeField('apiVersion', API_VERSION), typeField('kind', KIND)];

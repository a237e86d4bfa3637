import type { ResourceDefinition, StructSchema } from '../model.js';
import { type DocumentedResource, kindStruct, type ModelSource, type OpenApiSource } from './source.js';

/** Returns the source of a collection's model. */
export function listModel(definition: DocumentedResource, source: OpenApiSource): ModelSource {
  const { schema } = definition;
  return schema.kind === 'custom' ? schema.list : listStruct({ ...definition, schema }, source);
}

/** Returns the collection's struct: the declared one, or a generated one if there is none. */
export function listStruct(definition: ResourceDefinition, source: OpenApiSource): StructSchema {
  const { group, version, schema, kind, listKind } = definition;
  if (source.scheme.kind(group, version, kind)?.schema === schema) return kindStruct(source, group, version, listKind);
  const made = lists.get(schema) ?? makeList(definition, source);
  lists.set(schema, made);
  return made;
}

const lists = new WeakMap<StructSchema, StructSchema>();

function makeList({ schema, kind, listKind }: ResourceDefinition, source: OpenApiSource): StructSchema {
  const model = source.scheme.struct('meta/v1.PartialObjectMetadataList');
  const items = model.fields.get('items');
  if (!items) throw new Error('a list without items is declared');
  const fields = new Map(model.fields).set('items', { ...items, schema: { kind: 'list', items: schema } });
  const openapi = schema.openapi.endsWith(kind)
    ? schema.openapi.slice(0, -kind.length) + listKind
    : `${schema.openapi}List`;
  return { ...model, id: `${schema.id}List`, openapi, description: `A collection of ${kind} objects.`, fields };
}

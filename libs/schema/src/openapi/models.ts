import type { JsonObject } from '@orch/machinery';
import type { StructSchema } from '../model.js';
import type { Dialect } from './dialect.js';
import { documentedGroup } from './documented-group.js';
import { listStruct } from './list-struct.js';
import { SchemaWriter } from './schema-object.js';
import type { DocumentedResource, OpenApiSource } from './source.js';

/** Structs that every group-version accepts or answers with. */
const EVERYWHERE = ['meta/v1.DeleteOptions', 'meta/v1.WatchEvent'] as const;

/** Kinds of `meta/v1` in answers that belong to the core group. */
const OF_NO_GROUP = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'] as const;

/** A writer of models that knows which kinds each struct is served as. */
export function modelWriter(dialect: Dialect, source: OpenApiSource): SchemaWriter {
  const prefix = source.scheme.names.extensionPrefix;
  const kinds = kindsBySource.get(source) ?? servedKinds(source);
  kindsBySource.set(source, kinds);
  return new SchemaWriter(dialect, machineryPrefix(source), prefix, (struct) => {
    const found = kinds.get(struct);
    return found ? { [`${prefix}group-version-kind`]: found } : {};
  });
}

type Kinds = ReadonlyMap<StructSchema, JsonObject[]>;
/** Cached, as every document of version 3 needs them. */
const kindsBySource = new WeakMap<OpenApiSource, Kinds>();

/** The group-version-kinds of each struct that is a kind, as the extension lists them. */
function servedKinds(source: OpenApiSource): Kinds {
  const kinds = new Map<StructSchema, JsonObject[]>();
  const groups = source.groups.map(documentedGroup);
  const declared = groups.flatMap(({ declared }) => declared);
  for (const definition of declared) {
    for (const [struct, kind] of kindsOf(definition, source)) {
      const { group, version } = definition;
      kinds.set(struct, [{ group, kind, version }]);
    }
  }
  for (const { group, version, kind } of groups.flatMap(({ subresourceKinds }) => subresourceKinds)) {
    const struct = source.scheme.kind(group, version, kind)?.schema;
    if (struct && !kinds.has(struct)) kinds.set(struct, [{ group, kind, version }]);
  }
  for (const kind of OF_NO_GROUP)
    kinds.set(source.scheme.struct(`meta/v1.${kind}`), [{ group: '', kind, version: 'v1' }]);
  const versions = [...new Map(declared.map((each) => [`${each.group}/${each.version}`, each])).values()];
  for (const id of EVERYWHERE) {
    const kind = id.slice(id.indexOf('.') + 1);
    kinds.set(
      source.scheme.struct(id),
      versions.map(({ group, version }) => ({ group, kind, version })),
    );
  }
  return kinds;
}

/** Models of custom kinds contain their kinds themselves. */
function kindsOf(definition: DocumentedResource, source: OpenApiSource): [StructSchema, string][] {
  const { schema, kind, listKind, verbs } = definition;
  if (schema.kind === 'custom') return [];
  const own: [StructSchema, string] = [schema, kind];
  return verbs.includes('list') ? [own, [listStruct({ ...definition, schema }, source), listKind]] : [own];
}

/** Prefix of machinery models: `io.<…>.apimachinery.pkg`, before `apis.meta.v1.ObjectMeta`. */
export function machineryPrefix(source: OpenApiSource): string {
  const { openapi } = source.scheme.struct('meta/v1.ObjectMeta');
  return openapi.slice(0, openapi.lastIndexOf('.apis.meta.'));
}

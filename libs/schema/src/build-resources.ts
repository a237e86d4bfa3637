import type { Names } from '@orch/machinery';
import { isLater } from './deprecation.js';
import type { FileDescriptor, ResourceDescriptor, StructDescriptor } from './descriptor.js';
import type { ApiLifecycle, Column, KindDefinition, ResourceDefinition, StructSchema, Subresource } from './model.js';

/** Declarations of structs and their files, by the struct's id. */
type Origins = ReadonlyMap<string, { readonly file: FileDescriptor; readonly struct: StructDescriptor }>;

/** The Table columns of kinds that declare none (spec: "Table representation"). */
const DEFAULT_COLUMNS: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
  { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
];

/** The served collections, ordered as discovery lists them: by priority of group and version, then by name. */
export function buildResources(
  files: readonly FileDescriptor[],
  structs: ReadonlyMap<string, StructSchema>,
  names: Names,
): readonly ResourceDefinition[] {
  const origins: Origins = new Map(
    files.flatMap((file) =>
      file.structs.map((struct) => [`${file.package}.${struct.name}`, { file, struct }] as const),
    ),
  );
  const resources = [...origins].flatMap(([id, { file, struct }]) => {
    const schema = structs.get(id);
    return struct.resource && schema ? [buildResource(file, struct, struct.resource, schema, origins, names)] : [];
  });
  return resources.sort(byPriority);
}

function byPriority(a: ResourceDefinition, b: ResourceDefinition): number {
  return (
    b.groupPriority - a.groupPriority ||
    compare(a.group, b.group) ||
    b.versionPriority - a.versionPriority ||
    compare(a.version, b.version) ||
    compare(a.resource, b.resource)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function buildResource(
  file: FileDescriptor,
  struct: StructDescriptor,
  declared: ResourceDescriptor,
  schema: StructSchema,
  origins: Origins,
  names: Names,
): ResourceDefinition {
  const lifecycle = buildLifecycle(declared.lifecycle ?? {}, origins, names);
  return {
    ...groupVersionOf(file, names),
    resource: declared.plural,
    singular: struct.name.toLowerCase(),
    kind: struct.name,
    listKind: declared.noList ? '' : `${struct.name}List`,
    shortNames: declared.short ?? [],
    categories: declared.categories ?? [],
    namespaced: declared.namespaced ?? false,
    verbs: declared.verbs,
    subresources: (declared.subresources ?? []).map((each) => buildSubresource(each, origins, names)),
    stored: !declared.virtual,
    storage: buildStorage(declared.storedAs ?? schema.id, origins, names),
    servedByDefault: !file.offByDefault && !isLater(lifecycle),
    columns: declared.columns?.map((column) => ({ ...column, description: '' })) ?? DEFAULT_COLUMNS,
    lifecycle,
    groupPriority: file.groupPriority ?? 1000,
    versionPriority: file.versionPriority ?? 100,
    schema,
  };
}

function buildSubresource(
  declared: NonNullable<ResourceDescriptor['subresources']>[number],
  origins: Origins,
  names: Names,
): Subresource {
  return { name: declared.name, ...kindOf(declared.kind, origins, names), verbs: declared.verbs };
}

function buildStorage(id: string, origins: Origins, names: Names): ResourceDefinition['storage'] {
  const { file, struct } = originOf(id, origins);
  return { ...groupVersionOf(file, names), resource: struct.resource?.plural ?? '', kind: struct.name };
}

function buildLifecycle(
  declared: NonNullable<ResourceDescriptor['lifecycle']>,
  origins: Origins,
  names: Names,
): ApiLifecycle {
  const { replacement, ...releases } = declared;
  return { ...releases, ...(replacement && { replacement: kindOf(replacement, origins, names) }) };
}

function kindOf(id: string, origins: Origins, names: Names) {
  const { file, struct } = originOf(id, origins);
  return { ...groupVersionOf(file, names), kind: struct.name };
}

function originOf(id: string, origins: Origins) {
  const found = origins.get(id);
  if (!found) throw new Error(`declarations refer to ${id}, which none declares`);
  return found;
}

const groupVersionOf = (file: FileDescriptor, names: Names) => ({
  group: names.group(file.group),
  version: file.version,
});

/** Returns every struct whose JSON form has `apiVersion` and `kind`. */
export function buildKinds(
  files: readonly FileDescriptor[],
  structs: ReadonlyMap<string, StructSchema>,
  names: Names,
): readonly KindDefinition[] {
  return files.flatMap((file) =>
    file.structs.flatMap((struct) => {
      const schema = structs.get(`${file.package}.${struct.name}`);
      if (!schema || !struct.typed) return [];
      return [{ ...groupVersionOf(file, names), kind: struct.name, schema, everyGroup: struct.everyGroup ?? false }];
    }),
  );
}

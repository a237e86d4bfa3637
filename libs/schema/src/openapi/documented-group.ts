import type { GroupVersion } from '@orch/machinery';
import { groupVersionPath } from './operations.js';
import type { DocumentedResource } from './source.js';

/** Data about the resources of a group that is computed once for all documents. */
interface DocumentedGroup {
  /** Versions by the path of their group and version. */
  readonly versions: ReadonlyMap<string, DocumentedVersion>;
  /** Built-in resources, which are declared and not defined at run time. */
  readonly declared: readonly DocumentedResource[];
  /** Kinds of subresources, each once. */
  readonly subresourceKinds: readonly (GroupVersion & { readonly kind: string })[];
}

interface DocumentedVersion extends GroupVersion {
  readonly resources: readonly DocumentedResource[];
}

const known = new WeakMap<readonly DocumentedResource[], DocumentedGroup>();

/** @param resources an immutable list, whose result is cached */
export function documentedGroup(resources: readonly DocumentedResource[]): DocumentedGroup {
  const group = known.get(resources) ?? lookThrough(resources);
  known.set(resources, group);
  return group;
}

function lookThrough(resources: readonly DocumentedResource[]): DocumentedGroup {
  const versions = new Map<string, DocumentedVersion & { readonly resources: DocumentedResource[] }>();
  const kinds = new Map<string, DocumentedGroup['subresourceKinds'][number]>();
  for (const definition of resources) {
    const { group, version, subresources } = definition;
    const path = groupVersionPath(definition);
    const known = versions.get(path);
    if (known) known.resources.push(definition);
    else versions.set(path, { group, version, resources: [definition] });
    for (const each of subresources) kinds.set(`${each.group}/${each.version}/${each.kind}`, each);
  }
  const declared = resources.filter(({ schema }) => schema.kind !== 'custom');
  return { versions, declared, subresourceKinds: [...kinds.values()] };
}

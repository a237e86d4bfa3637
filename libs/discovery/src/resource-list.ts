import { createHash } from 'node:crypto';
import { formatApiVersion } from '@orch/machinery';
import type { ResourceDescription } from '@orch/schema';
import type { APIResource, APIResourceList } from '@orch/schema/types/meta/v1';
import type { ApiVersion } from './api-groups.js';

/** `APIResourceList`: the resources of one group-version, each followed by its subresources. */
export function resourceList(group: string, { version, resources }: ApiVersion): APIResourceList {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: formatApiVersion({ group, version }),
    resources: resources.flatMap((definition) => [resourceEntry(definition), ...subresourceEntries(definition)]),
  };
}

function resourceEntry(definition: ResourceDescription): APIResource {
  const { shortNames, categories } = definition;
  return {
    name: definition.resource,
    singularName: definition.singular,
    namespaced: definition.namespaced,
    kind: definition.kind,
    verbs: [...definition.verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(definition.stored && { storageVersionHash: storageVersionHash(definition) }),
  };
}

/** Returns the entries of subresources; they name group and version only where these differ from the list's. */
function subresourceEntries({
  group,
  version,
  resource,
  namespaced,
  subresources,
}: ResourceDescription): APIResource[] {
  return subresources.map((each) => ({
    name: `${resource}/${each.name}`,
    singularName: '',
    namespaced,
    ...((each.group !== group || each.version !== version) && { group: each.group, version: each.version }),
    kind: each.kind,
    verbs: [...each.verbs],
  }));
}

/** Identifies a storage version: the first 8 bytes of a digest of group, version and kind. */
export function storageVersionHash({ storage }: ResourceDescription): string {
  const name = `${storage.group}/${storage.version}/${storage.kind}`;
  return createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');
}

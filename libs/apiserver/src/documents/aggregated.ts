import type { Names } from '@orch/machinery';
import type { ResourceDescription } from '@orch/schema';
import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
  APIVersionDiscovery,
} from '@orch/schema/types/apidiscovery/v2beta1';
import type { ApiGroup, ApiVersion } from './api-groups.js';

/** `APIGroupDiscoveryList`: everything there is to discover of some groups, in one document (KEP-3352). */
export function aggregatedDiscovery(groups: readonly ApiGroup[], names: Names): APIGroupDiscoveryList {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `${names.group('apidiscovery.orch.io')}/v2beta1`,
    metadata: {},
    items: groups.map(groupEntry),
  };
}

const groupEntry = ({ name, versions }: ApiGroup): APIGroupDiscovery => ({
  metadata: name ? { name } : {},
  versions: versions.map(versionEntry),
});

const versionEntry = ({ version, resources, remote }: ApiVersion): APIVersionDiscovery => ({
  version,
  resources: remote ? [...remote.resources] : resources.map(resourceEntry),
  freshness: remote?.freshness ?? 'Current',
});

function resourceEntry(definition: ResourceDescription): APIResourceDiscovery {
  const { group, version, kind, shortNames, categories, subresources } = definition;
  return {
    resource: definition.resource,
    responseKind: { group, version, kind },
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: [...definition.verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((each) => ({
        subresource: each.name,
        responseKind: { group: each.group, version: each.version, kind: each.kind },
        verbs: [...each.verbs],
      })),
    }),
  };
}

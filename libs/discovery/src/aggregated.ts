import { stringifyJson } from '@orch/codec';
import type { Names } from '@orch/machinery';
import { weakMemo } from '@orch/resources';
import type { ResourceDescription } from '@orch/schema';
import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
  APIVersionDiscovery,
} from '@orch/schema/types/apidiscovery/v2beta1';
import type { ApiGroup, ApiVersion } from './api-groups.js';

/** `APIGroupDiscoveryList`: everything there is to discover of some groups, in one document (KEP-3352). */
export function aggregatedDiscovery(items: readonly APIGroupDiscovery[], names: Names): APIGroupDiscoveryList {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `${names.group('apidiscovery.orch.io')}/v2beta1`,
    metadata: {},
    items: [...items],
  };
}

/** Converts one group to an item of the aggregated document. */
export const aggregatedGroup = ({ name, versions }: ApiGroup): APIGroupDiscovery => ({
  metadata: metadataOf(name),
  versions: versions.map(versionEntry),
});

/**
 * The JSON of {@link aggregatedGroup}; what stands there of a resource is written once for all the documents that it
 * stands in.
 */
export function aggregatedGroupText({ name, versions }: ApiGroup): string {
  return `{"metadata":${stringifyJson(metadataOf(name))},"versions":[${versions.map(versionText).join()}]}`;
}

const metadataOf = (name: string): { name?: string } => (name ? { name } : {});

const freshnessOf = ({ remote }: ApiVersion): string => remote?.freshness ?? 'Current';

const versionEntry = (version: ApiVersion): APIVersionDiscovery => ({
  version: version.version,
  resources: version.remote ? [...version.remote.resources] : version.resources.map(resourceEntry),
  freshness: freshnessOf(version),
});

function versionText(version: ApiVersion): string {
  const { resources, remote } = version;
  const texts = remote
    ? remote.resources.map((each) => stringifyJson(each))
    : resources.map((each) => written(each).text);
  const [name, freshness] = [version.version, freshnessOf(version)].map((each) => stringifyJson(each));
  return `{"version":${name},"resources":[${texts.join()}],"freshness":${freshness}}`;
}

const written = weakMemo((definition: ResourceDescription) => ({ text: stringifyJson(resourceEntry(definition)) }));

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

import { formatApiVersion, type Names } from '@orch/machinery';
import type { ResourceDescription } from '@orch/schema';
import type { APIGroupDiscoveryList } from '@orch/schema/types/apidiscovery/v2beta1';
import type {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
  GroupVersionForDiscovery,
} from '@orch/schema/types/meta/v1';
import { aggregatedDiscovery } from './aggregated.js';
import { type ApiGroup, apiGroups } from './api-groups.js';
import type { RemoteVersion } from './remote-documents.js';
import { resourceList } from './resource-list.js';

/** Every discovery document for one set of served resources. */
export interface DiscoveryDocuments {
  /** `/api`; `address` is where clients reach the server, as `host:port`. */
  apiVersions(address: string): APIVersions;
  /** `/apis` */
  readonly groupList: APIGroupList;
  /** `/apis/<group>`, by group. */
  readonly groups: ReadonlyMap<string, APIGroup>;
  /** Versions that other servers answer for, as apiVersions: their lists of resources come from there. */
  readonly elsewhere: readonly string[];
  /** `/api/v1` and `/apis/<group>/<version>`, by apiVersion. */
  readonly resources: ReadonlyMap<string, APIResourceList>;
  /** `/api` and `/apis` in their aggregated form. */
  readonly aggregated: { readonly core: APIGroupDiscoveryList; readonly groups: APIGroupDiscoveryList };
}

/** Makes the documents; whoever changes what is served makes them anew. */
export function discoveryDocuments(
  served: readonly ResourceDescription[],
  names: Names,
  remote: readonly RemoteVersion[] = [],
): DiscoveryDocuments {
  const all = apiGroups(served, remote);
  const core = all.filter(({ name }) => name === '');
  const named = all.filter(({ name }) => name !== '');
  const groups = named.map(groupDocument);
  return {
    apiVersions: (address) => ({
      kind: 'APIVersions',
      versions: core.flatMap(({ versions }) => versions.map(({ version }) => version)),
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
    }),
    groupList: { kind: 'APIGroupList', apiVersion: 'v1', groups },
    groups: new Map(
      groups.map((group) => [group.name ?? '', { kind: 'APIGroup', apiVersion: 'v1', ...group } satisfies APIGroup]),
    ),
    elsewhere: remote.map(formatApiVersion),
    resources: new Map(
      all.flatMap(({ name, versions }) =>
        versions
          .filter(({ remote: other }) => !other)
          .map((version): [string, APIResourceList] => [
            formatApiVersion({ group: name, version: version.version }),
            resourceList(name, version),
          ]),
      ),
    ),
    aggregated: { core: aggregatedDiscovery(core, names), groups: aggregatedDiscovery(named, names) },
  };
}

function groupDocument({ name, versions: [preferred, ...others] }: ApiGroup): APIGroup {
  const entry = (version: string): GroupVersionForDiscovery => ({
    groupVersion: formatApiVersion({ group: name, version }),
    version,
  });
  return {
    name,
    versions: [preferred, ...others].map(({ version }) => entry(version)),
    preferredVersion: entry(preferred.version),
  };
}

import { stringifyJson } from '@orch/codec';
import { formatApiVersion, type Names } from '@orch/machinery';
import { inSlices } from '@orch/runtime/work';
import type { Steps } from '@orch/schema';
import type { APIGroupDiscoveryList } from '@orch/schema/types/apidiscovery/v2beta1';
import type { APIGroup, APIGroupList, APIResourceList, APIVersions } from '@orch/schema/types/meta/v1';
import { aggregatedDiscovery } from './aggregated.js';
import { byPriority } from './api-groups.js';
import type { GroupDiscovery } from './group-discovery.js';
import type { RemoteVersion } from './remote-documents.js';
import { sha512 } from './sha512.js';
import { JSON_TYPE, lazily, type Tagged } from './tagged.js';

/** `APIGroupDiscoveryList` of some groups, in its forms. */
export interface AggregatedDocument {
  /** The list as an object. */
  readonly whole: () => APIGroupDiscoveryList;
  /** Made in slices, of the texts of groups. */
  readonly json: () => Promise<Tagged>;
}

/** Every discovery document for one set of served resources. */
export interface DiscoveryDocuments {
  /** `/api`; `address` is where clients reach the server, as `host:port`. */
  apiVersions(address: string): APIVersions;
  /** `/apis` */
  readonly groupList: APIGroupList;
  /** `/apis/<group>`, by group. */
  readonly groups: ReadonlyMap<string, APIGroup>;
  /** Versions that other servers answer for, as apiVersions: their lists of resources come from there. */
  readonly elsewhere: ReadonlySet<string>;
  /** `/api/v1` and `/apis/<group>/<version>`, by apiVersion. */
  readonly resources: ReadonlyMap<string, () => APIResourceList>;
  /** `/api` and `/apis` in their aggregated form. */
  readonly aggregated: { readonly core: AggregatedDocument; readonly groups: AggregatedDocument };
}

/**
 * Makes the documents from the discovery of each group. A change of served resources makes them anew, with the same
 * objects for unchanged groups.
 * @param remote versions that other servers answer for
 */
export function discoveryDocuments(
  described: readonly GroupDiscovery[],
  names: Names,
  remote: readonly RemoteVersion[] = [],
): DiscoveryDocuments {
  const all = [...described].sort((a, b) => byPriority(a.group, b.group));
  const core = all.filter(({ group }) => group.name === '');
  const named = all.filter(({ group }) => group.name !== '');
  const groups = named.map(({ listed }) => listed);
  return {
    apiVersions: (address) => ({
      kind: 'APIVersions',
      versions: core.flatMap(({ group }) => group.versions.map(({ version }) => version)),
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
    }),
    groupList: { kind: 'APIGroupList', apiVersion: 'v1', groups },
    groups: new Map(
      groups.map((group) => [group.name ?? '', { kind: 'APIGroup', apiVersion: 'v1', ...group } satisfies APIGroup]),
    ),
    elsewhere: new Set(remote.map(formatApiVersion)),
    resources: new Map(all.flatMap(({ resources }) => [...resources])),
    aggregated: { core: aggregatedDocument(core, names), groups: aggregatedDocument(named, names) },
  };
}

function aggregatedDocument(groups: readonly GroupDiscovery[], names: Names): AggregatedDocument {
  const whole = (of: readonly GroupDiscovery[]) =>
    aggregatedDiscovery(
      of.map(({ aggregated }) => aggregated()),
      names,
    );
  return {
    whole: lazily(() => whole(groups)),
    json: lazily(async () => inSlices(joined(groups, whole([])))),
  };
}

/** @param empty the document without its groups, which come last in it */
function* joined(groups: readonly GroupDiscovery[], empty: APIGroupDiscoveryList): Steps<Tagged> {
  const parts: Buffer[] = [Buffer.from(stringifyJson(empty).slice(0, -']}'.length))];
  for (const { json } of groups) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(json());
    yield;
  }
  const bytes = Buffer.concat([...parts, END]);
  return { bytes, type: JSON_TYPE, tag: `"${yield* sha512(bytes)}"` };
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

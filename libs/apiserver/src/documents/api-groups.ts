import { compareVersions } from '@orch/machinery';
import type { ResourceDescription } from '@orch/schema';
import type { RemoteVersion } from './remote-documents.js';

/** What is served of one version of a group. */
export interface ApiVersion {
  readonly version: string;
  /** In name order; none of a version that another server answers for. */
  readonly resources: readonly ResourceDescription[];
  /** What that server tells. */
  readonly remote?: RemoteVersion;
}

/** What is served of one group; its first version is the preferred one. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly [ApiVersion, ...ApiVersion[]];
}

/** Items by key, in the order of their first member. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A resource that is served here, or a version that is served elsewhere. */
type Entry = ResourceDescription | RemoteVersion;

/**
 * Served resources by group and version: higher priorities first, then by name.
 * @param remote what other servers answer for, in the place of this one
 */
export function apiGroups(served: readonly ResourceDescription[], remote: readonly RemoteVersion[] = []): ApiGroup[] {
  const elsewhere = new Set(remote.map(groupVersionOf));
  const here = served.filter((definition) => !elsewhere.has(groupVersionOf(definition)));
  const groups = groupBy<Entry>([...here, ...remote], ({ group }) => group);
  return [...groups]
    .sort(([a, left], [b, right]) => highest(right, 'groupPriority') - highest(left, 'groupPriority') || byText(a, b))
    .flatMap(([name, entries]) => {
      const [first, ...rest] = apiVersions(entries);
      return first ? [{ name, versions: [first, ...rest] satisfies [ApiVersion, ...ApiVersion[]] }] : [];
    });
}

const groupVersionOf = ({ group, version }: Entry): string => `${group}/${version}`;

const isRemote = (entry: Entry): entry is RemoteVersion => 'freshness' in entry;

function apiVersions(entries: readonly Entry[]): ApiVersion[] {
  return [...groupBy(entries, ({ version }) => version)]
    .sort(
      ([a, left], [b, right]) =>
        highest(right, 'versionPriority') - highest(left, 'versionPriority') || compareVersions(b, a),
    )
    .map(([version, all]) => {
      const remote = all.find(isRemote);
      const resources = all.filter((entry): entry is ResourceDescription => !isRemote(entry));
      return {
        version,
        resources: resources.sort((a, b) => byText(a.resource, b.resource)),
        ...(remote && { remote }),
      };
    });
}

const highest = (all: readonly Entry[], priority: 'groupPriority' | 'versionPriority'): number =>
  Math.max(...all.map((entry) => entry[priority]));

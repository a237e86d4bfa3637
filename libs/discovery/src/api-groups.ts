import { compareVersions } from '@orch/machinery';
import type { ResourceDescription } from '@orch/schema';
import type { RemoteVersion } from './remote-documents.js';

/** A version of a group with its resources. */
export interface ApiVersion {
  /** Name of the version, such as `v1beta1`. */
  readonly version: string;
  /** In name order; none of a version that another server answers for. */
  readonly resources: readonly ResourceDescription[];
  /** Discovery of that server. */
  readonly remote?: RemoteVersion;
}

/** A group with its served versions; the first one is preferred. */
export interface ApiGroup {
  /** Name of the group; empty for the core group. */
  readonly name: string;
  /** The highest of its members'. */
  readonly priority: number;
  /** In order of preference. */
  readonly versions: readonly [ApiVersion, ...ApiVersion[]];
}

/** Items by key, in the order of their first member. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
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
 * Returns one group with its versions, the preferred one first; undefined where none is served.
 * @param here resources that this server answers for
 * @param remote versions that other servers answer for, instead of this one
 */
export function apiGroup(
  name: string,
  here: readonly ResourceDescription[],
  remote: readonly RemoteVersion[] = [],
): ApiGroup | undefined {
  const elsewhere = new Set(remote.map(({ version }) => version));
  const entries: Entry[] = [...here.filter(({ version }) => !elsewhere.has(version)), ...remote];
  const [first, ...rest] = apiVersions(entries);
  return first && { name, priority: highest(entries, 'groupPriority'), versions: [first, ...rest] };
}

/** Orders groups: higher priorities first, then by name. */
export const byPriority = (a: Pick<ApiGroup, 'name' | 'priority'>, b: Pick<ApiGroup, 'name' | 'priority'>): number =>
  b.priority - a.priority || byText(a.name, b.name);

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

/** There may be more than a call takes as its arguments. */
const highest = (all: readonly Entry[], priority: 'groupPriority' | 'versionPriority'): number =>
  all.reduce((most, entry) => Math.max(most, entry[priority]), Number.NEGATIVE_INFINITY);

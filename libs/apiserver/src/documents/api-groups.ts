import { compareVersions } from '@orch/machinery';
import type { ResourceDescription } from '@orch/schema';

/** What is served of one version of a group, in name order. */
export interface ApiVersion {
  readonly version: string;
  readonly resources: readonly ResourceDescription[];
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

/** Served resources by group and version: higher priorities first, then by name. */
export function apiGroups(served: readonly ResourceDescription[]): ApiGroup[] {
  const groups = groupBy(served, ({ group }) => group);
  return [...groups]
    .sort(([a, left], [b, right]) => highest(right, 'groupPriority') - highest(left, 'groupPriority') || byText(a, b))
    .flatMap(([name, resources]) => {
      const [first, ...rest] = apiVersions(resources);
      return first ? [{ name, versions: [first, ...rest] satisfies [ApiVersion, ...ApiVersion[]] }] : [];
    });
}

function apiVersions(resources: readonly ResourceDescription[]): ApiVersion[] {
  return [...groupBy(resources, ({ version }) => version)]
    .sort(
      ([a, left], [b, right]) =>
        highest(right, 'versionPriority') - highest(left, 'versionPriority') || compareVersions(b, a),
    )
    .map(([version, all]) => ({ version, resources: all.sort((a, b) => byText(a.resource, b.resource)) }));
}

const highest = (all: readonly ResourceDescription[], priority: 'groupPriority' | 'versionPriority'): number =>
  Math.max(...all.map((definition) => definition[priority]));

import type { Conversions } from '@orch/kinds';
import { formatApiVersion, parseApiVersion } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';

/**
 * Returns the version that bodies of a kind are written in, from `--storage-versions`: of its group the last named one
 * that has the kind, else the hub.
 */
export function storageVersionOf(
  hub: ResourceDefinition,
  versions: readonly string[],
  conversions: Conversions,
): string {
  const own = versions.filter((version) => {
    const group = parseApiVersion(version)?.group;
    return group === hub.group && conversions.reaches(version, formatApiVersion(hub), hub.kind);
  });
  return parseApiVersion(own.at(-1) ?? '')?.version ?? hub.version;
}

/**
 * Checks that each of the versions has stored kinds. The events of `events.orch.io`, for one, are those of the core
 * group.
 * @throws RangeError naming one that has none
 */
export function checkStorageVersions(versions: readonly string[], resources: readonly ResourceDefinition[]): void {
  for (const version of versions) {
    const declared = resources.filter((each) => formatApiVersion(each) === version);
    if (declared.length === 0) throw new RangeError(`nothing is known as ${version}`);
    if (!declared.some(({ stored, storage, group }) => stored && storage.group === group)) {
      throw new RangeError(`nothing is stored as ${version}`);
    }
  }
}

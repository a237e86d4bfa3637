import type { Conversions } from '@orch/kinds';
import { formatApiVersion, parseApiVersion } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';

/**
 * Which version bodies of a kind are written in, from `--storage-versions`: of its group the last one named that has the
 * kind, else the hub.
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
 * Whether each of the versions is declared.
 * @throws RangeError naming one that is not
 */
export function checkStorageVersions(versions: readonly string[], resources: readonly ResourceDefinition[]): void {
  const unknown = versions.find((version) => !resources.some((each) => formatApiVersion(each) === version));
  if (unknown !== undefined) throw new RangeError(`--storage-versions: nothing is known as ${unknown}`);
}

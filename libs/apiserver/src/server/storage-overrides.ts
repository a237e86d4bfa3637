/** A type that is stored in another database. */
interface StorageOverride {
  readonly group: string;
  readonly resource: string;
  readonly url: string;
}

const OVERRIDE = /^(?:([a-z0-9.-]*)\/)?([a-z0-9-]+)[=#](postgres(?:ql)?:\/\/.+)$/;
/** Before a comma that divides two overrides, not two hosts of one URL. */
const DIVIDER = /,(?=[a-z0-9.\-/]*[=#]postgres)/;

/**
 * Parses `resource=postgres://…` and `group/resource=postgres://…`; `#` may replace `=`, as in etcd servers overrides.
 * @param entries divided at commas, which URLs with several hosts hold too
 * @throws RangeError for an entry that is no override, for a type named twice, and for types that are written together
 * but would be separated; its message never holds a password
 */
export function parseOverrides(entries: readonly string[]): StorageOverride[] {
  const seen = new Set<string>();
  const overrides = entries
    .join(',')
    .split(DIVIDER)
    .filter((text) => text !== '')
    .map((text) => {
      const match = OVERRIDE.exec(text);
      if (!match) throw new RangeError('not of the form group/resource=postgres://…');
      const [, group = '', resource = '', url = ''] = match;
      if (seen.has(`${group}/${resource}`)) throw new RangeError(`${resource} is given twice`);
      seen.add(`${group}/${resource}`);
      return { group, resource, url };
    });
  for (const types of TOGETHER) refuseParted(types, overrides);
  return overrides;
}

/** Types of which objects are written as one: an eviction charges a budget and deletes a pod. */
const TOGETHER = [['pods', 'policy/poddisruptionbudgets']] as const;

function refuseParted([one, other]: readonly [string, string], overrides: readonly StorageOverride[]): void {
  const placeOf = (name: string) =>
    overrides.find(({ group, resource }) => (group === '' ? resource : `${group}/${resource}`) === name)?.url;
  if (placeOf(one) !== placeOf(other)) throw new RangeError(`${one} and ${other} must be in the same database`);
}

import { namesOf } from '@orch/machinery';
import { FEATURES, type FeatureName, loadScheme, type ResourceDefinition } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { filledIn, fingerprintOf } from '../testing/default-fingerprint.js';
import { declaredDefaults, reachedDefaults } from '../testing/reached-defaults.js';
import { withFeatures } from '../testing/settings.js';
import { DEFAULT_TABLES, defaultsNumber, defaultTables } from './default-tables.js';

const names = namesOf('orch');
const scheme = loadScheme(names);
const isHub = ({ group, version, resource, storage, stored }: ResourceDefinition) =>
  stored && group === storage.group && version === storage.version && resource === storage.resource;
const hubs = scheme.resources.filter(isHub);
const versionsOf = (hub: ResourceDefinition) =>
  scheme.resources.filter(({ storage }) => storage.group === hub.group && storage.resource === hub.resource);
const FEATURE_NAMES = Object.keys(FEATURES) as FeatureName[];

describe.each(hubs)('the defaults of $kind in $group', (hub) => {
  const known = defaultTables(hub, names);
  const features = known?.features ?? [];

  it('are those that its table has last', () => {
    const now = fingerprintOf(versionsOf(hub), names, features);
    const reported = `What ${hub.kind} fills in has changed. Add the fingerprint of it behind the others of the kind in
      libs/kinds/src/registry/default-tables.ts ('${hub.group}': { ${hub.kind}: { tables: [..., '${now}'] } }), and change none
      that stands there: stored objects were given the defaults of those, and get the new ones because there is one more.`;
    expect(known?.tables.at(-1), reported).toBe(now);
  });

  it('depend on the features that it names, and on no other', () => {
    const usual = filledIn(versionsOf(hub), names, {}).join('\n');
    const { enabled } = withFeatures({}).features;
    const turned = (some: readonly FeatureName[]) =>
      filledIn(versionsOf(hub), names, Object.fromEntries(some.map((name) => [name, !enabled(name)]))).join('\n');
    expect(
      turned(FEATURE_NAMES.filter((name) => !features.includes(name))) === usual,
      'features that are not named',
    ).toBe(true);
    for (const name of features) expect(turned([name]) === usual, name).toBe(false);
  });

  it('are all met by what they are tried on', () => {
    for (const version of versionsOf(hub)) {
      const reached = reachedDefaults(version, filledIn([version], names, {}));
      expect([...declaredDefaults(version.schema)].filter((one) => !reached.has(one))).toEqual([]);
    }
  });
});

describe('the number of the defaults of a kind', () => {
  const numberOf = (resource: string, features: Partial<Record<FeatureName, boolean>> = {}) => {
    const hub = hubs.find((one) => one.resource === resource) ?? expect.unreachable();
    return defaultsNumber(hub, names, withFeatures(features));
  };

  it('tells combinations of its features apart, and nothing from something', () => {
    const both = ['MaxUnavailableStatefulSet', 'StatefulSetAutoDeletePVC'] as const;
    const numbers = [0, 1, 2, 3].map((bits) =>
      numberOf('statefulsets', { [both[0]]: (bits & 1) > 0, [both[1]]: (bits & 2) > 0 }),
    );
    expect(new Set(numbers).size).toBe(4);
    expect(Math.min(...numbers)).toBeGreaterThan(0);
    expect(numberOf('statefulsets', { HPAScaleToZero: true })).toBe(numberOf('statefulsets'));
    expect(numberOf('configmaps')).toBe(0);
  });

  it('is the same in both profiles, and can be stored', () => {
    const other = namesOf('kubernetes');
    const loaded = loadScheme(other);
    const standard = withFeatures({});
    for (const hub of hubs) {
      const { kind, group, version, resource } = hub;
      const same = loaded.resource(other.group(group), version, resource) ?? expect.unreachable();
      expect([kind, defaultsNumber(same, other, standard)]).toEqual([kind, defaultsNumber(hub, names, standard)]);
      expect(defaultsNumber(hub, names, standard)).toBeLessThan(32_768 - 16);
    }
    for (const { features = [] } of Object.values(DEFAULT_TABLES).flatMap((kinds) => Object.values(kinds)))
      expect(features.length).toBeLessThanOrEqual(4);
  });
});

it('no table has one fingerprint twice in a row, or stands for a kind that is not there', () => {
  for (const [group, kinds] of Object.entries(DEFAULT_TABLES)) {
    for (const [kind, { tables }] of Object.entries(kinds)) {
      expect(
        hubs.some((hub) => hub.group === group && hub.kind === kind),
        `${kind} of ${group}`,
      ).toBe(true);
      for (const [at, table] of tables.entries()) expect(table).not.toBe(tables[at - 1]);
    }
  }
});

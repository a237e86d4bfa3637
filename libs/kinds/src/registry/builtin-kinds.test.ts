import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApiObject, type NamingProfile, namesOf, parseApiVersion } from '@orch/machinery';
import { applyDefaults, loadScheme, type ResourceDefinition } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { hasStatusSubresource } from '../rules/separation.js';
import { through } from '../testing/through.js';
import { declarationOf, kindRules } from './registry.js';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const PROFILES: readonly NamingProfile[] = ['orch', 'kubernetes'];
const GENERIC_COLUMNS = ['Name', 'Age', 'Created At'];

const bare = ({ group, version, kind }: ResourceDefinition): ApiObject => ({
  apiVersion: group ? `${group}/${version}` : version,
  kind,
  metadata: { name: 'a', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
});

describe.each(PROFILES)('every built-in kind, %s names', (profile) => {
  const names = namesOf(profile);
  const { resources } = loadScheme(names);

  it.each(resources)('$group/$version $kind has rules of its own', (definition) => {
    expect(declarationOf(definition, names)).toBeDefined();
  });

  it.each(resources.filter(({ stored }) => stored))(
    '$group/$version $kind fills every column, and no other',
    (definition) => {
      const row = declarationOf(definition, names)?.row?.(bare(definition), NOW, names) ?? {};
      const columns = definition.columns.map(({ name }) => name);
      expect(columns.filter((column) => !GENERIC_COLUMNS.includes(column) && row[column] === undefined)).toEqual([]);
      expect(
        Object.keys(row).filter((name) => !columns.includes(name) && !['Containers', 'Images'].includes(name)),
      ).toEqual([]);
      expect(kindRules(definition, names).cells(bare(definition), NOW)).toHaveLength(columns.length);
    },
  );

  it.each(resources.filter(({ stored }) => stored))(
    '$group/$version $kind defaults an empty object to a fixed point',
    (definition) => {
      const rules = kindRules(definition, names);
      const object = bare(definition);
      applyDefaults(definition.schema, object);
      rules.defaults(object);
      const once = structuredClone(object);
      applyDefaults(definition.schema, object);
      rules.defaults(object);
      expect(object).toEqual(once);
    },
  );

  it.each(resources.filter(({ stored }) => stored))(
    '$group/$version $kind reads its selectable fields as text',
    (definition) => {
      const rules = kindRules(definition, names);
      const fields = rules.selectableFields(bare(definition));
      expect(Object.keys(fields)).toEqual(rules.selectableFieldNames);
      for (const value of Object.values(fields)) expect(typeof value).toBe('string');
    },
  );
});

/** The release serves the status of a NetworkPolicy, and does not let it be written. */
const withStatus = loadScheme(namesOf('orch')).resources.filter(
  (definition) => hasStatusSubresource(definition) && definition.kind !== 'NetworkPolicy',
);

describe.each(withStatus)('status of $kind', (definition) => {
  const rules = kindRules(definition, namesOf('orch'));
  const old = (): ApiObject => ({
    ...bare(definition),
    metadata: { name: 'a', generation: 3 },
    spec: { marker: 'old' },
    status: { marker: 'old' },
  });

  it('is not taken from an update of the object', () => {
    const object: ApiObject = { ...old(), status: { marker: 'new' } };
    rules.prepareForUpdate(object, old(), through());
    expect(object.status).toMatchObject({ marker: 'old' });
    expect(object.metadata?.generation).toBe(3);
  });

  it('is all that changes through the subresource', () => {
    const object: ApiObject = { ...old(), spec: { marker: 'new' }, status: { marker: 'new' } };
    rules.prepareForUpdate(object, old(), through('status'));
    expect(object).toMatchObject({ spec: { marker: 'old' }, status: { marker: 'new' }, metadata: { generation: 3 } });
  });

  if (rules.hasGeneration)
    it('counts a generation when the desired state changes', () => {
      const object: ApiObject = { ...old(), metadata: { name: 'a', generation: 99 }, spec: { marker: 'new' } };
      rules.prepareForUpdate(object, old(), through());
      expect(object.metadata?.generation).toBe(4);
    });

  it('does not come from the client at creation', () => {
    const object: ApiObject = { ...old(), status: { marker: 'new' } };
    rules.prepareForCreate(object, through());
    if (definition.kind === 'Node') expect(object.status).toEqual({ marker: 'new' });
    else expect(object.status).not.toHaveProperty('marker');
    expect(object.metadata?.generation).toBe(rules.hasGeneration ? 1 : undefined);
  });
});

const shared = process.env.ORCH_SHARED ?? join(dirname(fileURLToPath(import.meta.url)), '../../../../../shared');
const samples = join(shared, 'facts/samples');
/** Samples of what is no resource: answers, lists, options and bodies of subresources; metrics are those of another server. */
const NO_RESOURCES: ReadonlySet<string> = new Set([
  'autoscaling-v1-scale.json',
  'edge-configmaplist-empty.json',
  'edge-deleteoptions.json',
  'edge-partialobjectmetadata.json',
  'edge-podlist.json',
  'edge-status.json',
  'metrics-v1beta1-podmetrics.json',
  'policy-v1-eviction.json',
]);
const files = existsSync(samples)
  ? readdirSync(samples).filter(
      (name) => name.endsWith('.json') && !name.startsWith('watch') && !NO_RESOURCES.has(name),
    )
  : [];

describe.skipIf(files.length === 0)('filled samples', () => {
  const names = namesOf('kubernetes');
  const { resources } = loadScheme(names);

  it.each(files)('%s can be prepared and printed', (file) => {
    const object = JSON.parse(readFileSync(join(samples, file), 'utf8')) as ApiObject;
    const gv = parseApiVersion(object.apiVersion ?? '');
    const definition = resources.find(
      ({ group, version, kind }) => group === gv?.group && version === gv?.version && kind === object.kind,
    );
    if (!definition) throw new Error(`no resource is of the kind ${object.kind} of ${object.apiVersion}`);
    const rules = kindRules(definition, names);
    const old = structuredClone(object);
    rules.defaults(object);
    rules.prepareForUpdate(object, old, through());
    expect([...rules.validateUpdate(old, structuredClone(old))].flat()).toEqual([]);
    const cells = rules.cells(object, NOW);
    expect(cells).toHaveLength(definition.columns.length);
    for (const cell of cells) expect(['string', 'number', 'boolean']).toContain(typeof cell);
    rules.prepareForCreate(object, through());
  });
});

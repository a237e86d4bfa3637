import { stringifyJson } from '@orch/codec';
import { type NamingProfile, namesOf } from '@orch/machinery';
import { loadScheme, type ResourceDefinition } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { apiGroup, groupBy } from './api-groups.js';
import { discoveryDocuments } from './discovery-documents.js';
import { GroupDiscovery } from './group-discovery.js';
import { storageVersionHash } from './resource-list.js';

const PROFILES: readonly NamingProfile[] = ['orch', 'kubernetes'];

const servedIn = (profile: NamingProfile): ResourceDefinition[] =>
  loadScheme(namesOf(profile)).resources.filter(({ servedByDefault }) => servedByDefault);

function reportedOf(served: readonly ResourceDefinition[]): GroupDiscovery[] {
  const groups = [...groupBy(served, ({ group }) => group)].map(([name, some]) => apiGroup(name, some));
  return groups.flatMap((group) => (group ? new GroupDiscovery(group) : []));
}

describe.each(PROFILES)('discovery documents, %s names', (profile) => {
  const names = namesOf(profile);
  const served = servedIn(profile);
  const documents = discoveryDocuments(reportedOf(served), names);

  it('lists the core versions under /api', () => {
    expect(documents.apiVersions('10.0.0.1:6443')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '10.0.0.1:6443' }],
    });
  });

  it('orders groups by priority and leaves the core group out', () => {
    const order = documents.groupList.groups?.map(({ name }) => name);
    expect(order?.slice(0, 3)).toEqual([names.group('apiregistration.orch.io'), 'apps', names.group('events.orch.io')]);
    expect(order).not.toContain('');
    expect(new Set(order).size).toBe(order?.length);
  });

  it('prefers the version with the highest priority', () => {
    expect(documents.groups.get('autoscaling')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
  });

  it('prefers stable and later versions among those of the same priority', () => {
    const [first] = served.filter(({ group }) => group === 'apps') as [ResourceDefinition];
    const versions = ['v1beta1', 'v2alpha1', 'v1', 'v10', 'v2'];
    const group = 'example.test';
    const { groups } = discoveryDocuments(
      reportedOf(versions.map((version) => ({ ...first, group, version, versionPriority: 100 }))),
      names,
    );
    const reported = groups.get(group)?.versions?.map(({ version }) => version);
    expect(reported).toEqual(['v10', 'v2', 'v1', 'v1beta1', 'v2alpha1']);
  });

  it('names subresources after their resource, with group and version where they differ', () => {
    const entries = documents.resources.get('apps/v1')?.().resources ?? [];
    expect(entries.filter(({ name }) => name?.startsWith('deployments'))).toEqual([
      expect.objectContaining({ name: 'deployments', kind: 'Deployment', shortNames: ['deploy'], categories: ['all'] }),
      expect.objectContaining({ name: 'deployments/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' }),
      {
        name: 'deployments/status',
        singularName: '',
        namespaced: true,
        kind: 'Deployment',
        verbs: ['get', 'patch', 'update'],
      },
    ]);
  });

  it('gives virtual resources no storage version', () => {
    const entries = documents.resources.get('v1')?.().resources ?? [];
    expect(entries.find(({ name }) => name === 'bindings')).not.toHaveProperty('storageVersionHash');
    expect(entries.find(({ name }) => name === 'configmaps')).toHaveProperty('storageVersionHash');
  });

  it('says the same in the aggregated form', () => {
    const [core, groups] = [documents.aggregated.core.whole(), documents.aggregated.groups.whole()];
    const seen = [core, groups].flatMap(({ items }) =>
      (items ?? []).flatMap(({ metadata, versions }) =>
        (versions ?? []).flatMap(({ version, resources }) =>
          (resources ?? []).map(({ resource }) => `${metadata?.name ?? ''}/${version}/${resource}`),
        ),
      ),
    );
    expect(seen.sort()).toEqual(served.map((each) => `${each.group}/${each.version}/${each.resource}`).sort());
    expect(groups.items?.map(({ metadata }) => metadata?.name)).toEqual(
      documents.groupList.groups?.map(({ name }) => name),
    );
    expect(core.apiVersion).toBe(`${names.group('apidiscovery.orch.io')}/v2beta1`);
  });
});

it('is written group by group, to the same text', async () => {
  const names = namesOf('kubernetes');
  const remote = { group: 'metrics.k8s.io', version: 'v1beta1', groupPriority: 100, versionPriority: 100 };
  const there = { ...remote, resources: [{ resource: 'nodes', verbs: ['get'] }], freshness: 'Stale' as const };
  const elsewhere = apiGroup('metrics.k8s.io', [], [there]);
  if (!elsewhere) throw new Error('nothing is told');
  const reported = [...reportedOf(servedIn('kubernetes')), new GroupDiscovery(elsewhere)];
  for (const groups of [reported, []]) {
    const { aggregated } = discoveryDocuments(groups, names, [there]);
    for (const { whole, json } of [aggregated.core, aggregated.groups]) {
      expect(String((await json()).bytes)).toBe(stringifyJson(whole()));
    }
  }
});

it('hashes storage versions as other servers of the same API do', () => {
  const pods = servedIn('kubernetes').find(({ group, resource }) => group === '' && resource === 'pods');
  expect(pods && storageVersionHash(pods)).toBe('xPOwRZ+Yhw8=');
});

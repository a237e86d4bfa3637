import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedChange, ServedResources } from './served-resources.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

const without = (resource: string) => api.endpoints.filter(({ definition }) => definition.resource !== resource);

describe('what is served', () => {
  it('is found by group, version and resource', () => {
    const { current } = new ServedResources(api.endpoints);
    expect(current.find('apps', 'v1', 'deployments')).toBe(api.endpoint('deployments'));
    expect(current.find('apps', 'v2', 'deployments')).toBeUndefined();
    expect(current.find('', 'v1', 'constructor')).toBeUndefined();
    expect(current.ofResource('apps', 'deployments')).toBe(api.endpoint('deployments'));
  });

  it('has one endpoint for each type, in the version that is stored where that is served', () => {
    const { types } = new ServedResources(api.endpoints).current;
    expect(new Set(types.map(({ type }) => type)).size).toBe(types.length);
    const stored = api.endpoints.filter(({ definition }) => definition.stored);
    expect(stored.length).toBeLessThan(api.endpoints.length);
    expect(types).toHaveLength(new Set(stored.map(({ type }) => type)).size);
    expect(types.find(({ type }) => type === api.endpoint('events', '').type)?.storage.group).toBe('');
  });

  it('changes as a whole: who has a snapshot keeps it', () => {
    const served = new ServedResources(api.endpoints);
    const before = served.current;
    const after = served.replace(without('deployments'));
    expect(served.current).toBe(after);
    expect([before.generation, after.generation]).toEqual([1, 2]);
    expect(before.find('apps', 'v1', 'deployments')).toBeDefined();
    expect(after.find('apps', 'v1', 'deployments')).toBeUndefined();
  });

  it('shares what has not changed with the next: a change costs what it touches', () => {
    const served = new ServedResources(api.endpoints);
    const before = served.current;
    const deployments = api.endpoint('deployments');
    const other = { ...deployments };
    const after = served.change([deployments], [{ endpoint: other, description: undefined }]);
    const changed = [...after.groups].filter(([name, group]) => before.groups.get(name) !== group);
    expect(changed.map(([name]) => name)).toEqual(['apps']);
    expect(after.ofResource('apps', 'deployments')).toBe(other);
    expect(
      [...after.servings()]
        .filter(({ description: reported }) => reported === undefined)
        .map(({ endpoint }) => endpoint),
    ).toEqual([other]);
    expect(after.endpoints).toHaveLength(before.endpoints.length);
    served.change(served.current.endpoints, []);
    expect([served.current.groups.size, served.current.endpoints]).toEqual([0, []]);
  });

  it('tells of endpoints that went or became others, and of no more', () => {
    const served = new ServedResources(api.endpoints);
    const changes: ServedChange[] = [];
    const stop = served.onChange((change) => changes.push(change));
    const deployments = api.endpoint('deployments');
    served.replace(api.endpoints.map((endpoint) => (endpoint === deployments ? { ...endpoint } : endpoint)));
    served.replace(served.current.endpoints);
    stop();
    served.replace([]);
    expect(changes.map(({ ended }) => ended)).toEqual([[deployments], []]);
    expect(changes[0]?.before.holds(deployments)).toBe(true);
    expect(changes[0]?.after.holds(deployments)).toBe(false);
  });
});

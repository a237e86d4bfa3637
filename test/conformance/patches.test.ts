import { expect, test } from 'vitest';
import type { StatusObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformanceWithoutNames,
  createAll,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
} from './conformance.js';

conformanceWithoutNames('Patch [Patch content types]', ({ api, namespace }) => {
  test('a merge patch sets and removes', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a', { data: { a: '1', b: '2' } })), 201);
    const patch = { metadata: { labels: { x: 'y' } }, data: { a: null, c: '3' } };
    const patched = expectStatus(await api.patch(`${configMaps(ns)}/a`, 'merge', patch), 200).json();
    expect(patched.data).toEqual({ b: '2', c: '3' });
    expect(patched.metadata.labels).toEqual({ x: 'y' });
  });

  test('a JSON patch is applied whole or not at all', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const operations = [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b', value: '2' },
      { op: 'remove', path: '/data/a' },
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/example.com~1note', value: 'x' },
    ];
    const patched = expectStatus(await api.patch(path, 'json', operations), 200).json();
    expect(patched.data).toEqual({ b: '2' });
    expect(patched.metadata.annotations).toEqual({ 'example.com/note': 'x' });
    const failing = [
      { op: 'add', path: '/data/d', value: '4' },
      { op: 'test', path: '/data/a', value: '1' },
    ];
    expectRefusal(await api.patch(path, 'json', failing), 422, 'Invalid');
    expect(expectStatus(await api.get(path), 200).json().data).toEqual({ b: '2' });
    const stale = [{ op: 'test', path: '/metadata/resourceVersion', value: created?.metadata.resourceVersion }];
    expect([409, 422]).toContain((await api.patch(path, 'json', stale)).status);
  });

  test('a strategic merge patch merges lists by their keys', async () => {
    const ns = await namespace();
    expectStatus(await api.post(deployments(ns), deployment('web')), 201);
    const containers = [
      { name: 'c', image: 'j' },
      { name: 'side', image: 'k' },
    ];
    const patch = { spec: { template: { spec: { containers } } } };
    const patched = expectStatus(await api.patch(`${deployments(ns)}/web`, 'strategic-merge', patch), 200).json();
    const images = patched.spec.template.spec.containers.map(
      (c: { name: string; image: string }) => `${c.name}=${c.image}`,
    );
    expect(images.sort()).toEqual(['c=j', 'side=k']);
    const removal = { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } };
    const removed = expectStatus(await api.patch(`${deployments(ns)}/web`, 'strategic-merge', removal), 200).json();
    expect(removed.spec.template.spec.containers).toHaveLength(1);
  });

  test('a version in the patch is a precondition', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const patch = { metadata: { resourceVersion: created?.metadata.resourceVersion }, data: { a: '2' } };
    expectStatus(await api.patch(path, 'merge', patch), 200);
    expectRefusal(await api.patch(path, 'merge', { ...patch, data: { a: '3' } }), 409, 'Conflict');
  });

  test.each([
    ['merge', '{"data":', 400],
    ['merge', [1], 400],
    ['json', { op: 'add' }, 400],
    ['json', [{ op: 'jump', path: '/data' }], 400],
    ['json', [{ op: 'add', path: '/metadata/name', value: 'b' }], 400],
    ['merge', { metadata: { name: 'b' } }, 400],
    ['merge', { data: { a: 5 } }, 400],
  ] as const)('%s %j is refused', async (type, body, code) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const answer = await api.patch(`${configMaps(ns)}/a`, type, body);
    expect([code, 422]).toContain(answer.status);
    expect(answer.json<StatusObject>()).toMatchObject({ kind: 'Status', status: 'Failure' });
  });

  test('a patch of what is not there is 404, of an unknown type 415', async () => {
    const ns = await namespace();
    expectRefusal(await api.patch(`${configMaps(ns)}/a`, 'merge', {}), 404, 'NotFound');
    await createAll(api, ns, ['a']);
    const answer = await api.request('PATCH', `${configMaps(ns)}/a`, {
      body: {},
      headers: { 'content-type': 'text/x-diff' },
    });
    expectRefusal(answer, 415, 'UnsupportedMediaType');
  });

  test('patches of one object at the same time all take effect', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const keys = Array.from({ length: 16 }, (_, index) => `k${index}`);
    const answers = await Promise.all(
      keys.map((key) => api.patch(`${configMaps(ns)}/a`, 'merge', { data: { [key]: 'x' } })),
    );
    for (const answer of answers) expectStatus(answer, 200);
    const { data } = expectStatus(await api.get(`${configMaps(ns)}/a`), 200).json();
    expect(Object.keys(data ?? {}).sort()).toEqual(['a', ...keys].sort());
  });
});

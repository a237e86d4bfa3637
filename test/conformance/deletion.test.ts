import { expect, test } from 'vitest';
import type { ApiList } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformance,
  conformanceWithoutNames,
  createAll,
  expectRefusal,
  expectStatus,
  list,
  namesIn,
} from './conformance.js';

const pods = (ns: string) => `/api/v1/namespaces/${ns}/pods`;
const pod = (name: string, nodeName?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: 'c', image: 'i' }] },
});

conformanceWithoutNames('Graceful deletion of pods [Deletion of an object]', ({ api, namespace }) => {
  test('a pod on a node gets its period of grace and goes when the period is cut to 0', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), pod('p', 'n1')), 201);
    const began = Date.now();
    const first = expectStatus(await api.delete(`${pods(ns)}/p`), 200).json();
    expect(first.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    const ends = Date.parse(first.metadata.deletionTimestamp ?? '');
    expect(ends - began).toBeGreaterThan(28_000);
    expect(ends - Date.now()).toBeLessThan(31_000);
    const shorter = expectStatus(await api.delete(`${pods(ns)}/p?gracePeriodSeconds=5`), 200).json();
    expect(shorter.metadata).toMatchObject({ deletionGracePeriodSeconds: 5 });
    expect(Date.parse(shorter.metadata.deletionTimestamp ?? '')).toBe(ends - 25_000);
    const longer = expectStatus(await api.delete(`${pods(ns)}/p`, { gracePeriodSeconds: 60 }), 200).json();
    expect(longer.metadata).toMatchObject({ deletionGracePeriodSeconds: 5 });
    expectStatus(await api.delete(`${pods(ns)}/p`, { gracePeriodSeconds: 0 }), 200);
    expectRefusal(await api.get(`${pods(ns)}/p`), 404, 'NotFound');
  });

  test('a pod that is on no node goes at once', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), pod('p')), 201);
    expectStatus(await api.delete(`${pods(ns)}/p?gracePeriodSeconds=60`), 200);
    expectRefusal(await api.get(`${pods(ns)}/p`), 404, 'NotFound');
  });

  test('the marks of a deletion cannot be set or taken back by an update', async () => {
    const ns = await namespace();
    const marked = pod('p', 'n1');
    const deletionTimestamp = '2030-01-01T00:00:00Z';
    const created = await api.post(pods(ns), { ...marked, metadata: { name: 'p', deletionTimestamp } });
    expect(expectStatus(created, 201).json().metadata).not.toHaveProperty('deletionTimestamp');
    const deleted = expectStatus(await api.delete(`${pods(ns)}/p`), 200).json();
    const patch = { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } };
    const patched = expectStatus(await api.patch(`${pods(ns)}/p`, 'merge', patch), 200).json();
    expect(patched.metadata.deletionTimestamp).toBe(deleted.metadata.deletionTimestamp);
  });
});

conformanceWithoutNames('Options of a deletion [Deletion of an object]', ({ api, namespace }) => {
  test('propagationPolicy=Background removes marks of another policy and the object', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('a', { finalizers: ['orphan'] })), 201);
    expectStatus(await api.delete(`${configMaps(ns)}/a`, { propagationPolicy: 'Background' }), 200);
    expectRefusal(await api.get(`${configMaps(ns)}/a`), 404, 'NotFound');
  });

  test('orphanDependents beside propagationPolicy is refused', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const both = { orphanDependents: true, propagationPolicy: 'Orphan' };
    expectRefusal(await api.delete(`${configMaps(ns)}/a`, both), 422, 'Invalid');
    expectStatus(await api.get(`${configMaps(ns)}/a`), 200);
  });

  test('options may come as YAML or with the group of the resource', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const yaml = {
      body: 'kind: DeleteOptions\napiVersion: v1\ndryRun: [All]\n',
      headers: { 'content-type': 'application/yaml' },
    };
    expectStatus(await api.request('DELETE', `${configMaps(ns)}/a`, yaml), 200);
    expectStatus(await api.get(`${configMaps(ns)}/a`), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/a`, { kind: 'DeleteOptions', apiVersion: 'apps/v1' }), 200);
  });

  test.each([
    ['{', 400],
    ['{"preconditions":{"uid":5}}', 400],
    ['{"kind":"Pod","apiVersion":"v1"}', 400],
    ['{"gracePeriodSeconds":"soon"}', 400],
    ['{"dryRun":["Some"]}', 422],
  ])('the body %s is refused with %i and deletes nothing', async (body, code) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    expectStatus(await api.delete(`${configMaps(ns)}/a`, body), code);
    expectStatus(await api.delete(configMaps(ns), body), code);
    expect(namesIn(await list(api, configMaps(ns)))).toEqual(['a']);
  });

  test('deletecollection keeps what has finalizers, terminating, and shows what it removed', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('held', { finalizers: ['example.com/hold'] })), 201);
    await createAll(api, ns, ['a', 'b']);
    const answer = expectStatus(await api.delete(configMaps(ns)), 200).json<ApiList>();
    expect(answer.kind).toBe('ConfigMapList');
    expect(namesIn(answer).sort()).toEqual(['a', 'b', 'held']);
    const left = await list(api, configMaps(ns));
    expect(namesIn(left)).toEqual(['held']);
    expect(left.items[0]?.metadata.deletionTimestamp).toBeTypeOf('string');
    expectStatus(await api.patch(`${configMaps(ns)}/held`, 'merge', { metadata: { finalizers: null } }), 200);
  });

  test('deletecollection takes field selectors, and refuses selectors that cannot be read', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b', 'c']);
    expectRefusal(await api.delete(`${configMaps(ns)}?labelSelector=(`), 400, 'BadRequest');
    expectRefusal(await api.delete(`${configMaps(ns)}?fieldSelector=data.a=1`), 400, 'BadRequest');
    expectStatus(await api.delete(`${configMaps(ns)}?fieldSelector=metadata.name!=b`), 200);
    expect(namesIn(await list(api, configMaps(ns)))).toEqual(['b']);
    expectRefusal(await api.delete('/api/v1/configmaps'), 405, 'MethodNotAllowed');
  });

  test('deletecollection of pods with a period of grace marks each of them', async () => {
    const ns = await namespace();
    for (const name of ['a', 'b']) expectStatus(await api.post(pods(ns), pod(name, 'n1')), 201);
    expectStatus(await api.delete(`${pods(ns)}?gracePeriodSeconds=7`), 200);
    const marked = await list(api, pods(ns));
    expect(
      marked.items.map(
        ({ metadata }) => (metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds,
      ),
    ).toEqual([7, 7]);
    expectStatus(await api.delete(`${pods(ns)}?gracePeriodSeconds=0`), 200);
    expect(namesIn(await list(api, pods(ns)))).toEqual([]);
  });
});

conformanceWithoutNames(
  'Writers of one object at a time [Most Recent, States and transitions]',
  ({ api, namespace }) => {
    test('of updates that name a version exactly one of each round gets through', async () => {
      const ns = await namespace();
      const [created] = await createAll(api, ns, ['a']);
      const updates = Array.from({ length: 12 }, (_, n) =>
        api.put(`${configMaps(ns)}/a`, { ...created, data: { a: `by-${n}` } }),
      );
      const codes = (await Promise.all(updates)).map(({ status }) => status).sort();
      expect(codes).toEqual([200, ...Array<number>(11).fill(409)]);
    });

    test('of creations of one name exactly one gets through, of deletions too', async () => {
      const ns = await namespace();
      const creations = Array.from({ length: 12 }, () => api.post(configMaps(ns), configMap('a')));
      expect((await Promise.all(creations)).map(({ status }) => status).sort()).toEqual([
        201,
        ...Array<number>(11).fill(409),
      ]);
      const deletions = Array.from({ length: 12 }, () => api.delete(`${configMaps(ns)}/a`));
      expect((await Promise.all(deletions)).map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(11).fill(404),
      ]);
    });

    test('40 patches that name no version all take effect, and a watcher sees each once', async () => {
      const ns = await namespace();
      const [created] = await createAll(api, ns, ['a']);
      const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${created?.metadata.resourceVersion}`);
      const patches = Array.from({ length: 40 }, (_, n) =>
        api.patch(`${configMaps(ns)}/a`, 'merge', { data: { [`k${n}`]: '' } }),
      );
      for (const answer of await Promise.all(patches)) expectStatus(answer, 200);
      const events = await stream.take(40);
      expect(events.map(({ object }) => Object.keys(object.data ?? {}).length)).toEqual(
        Array.from({ length: 40 }, (_, n) => n + 2),
      );
      stream.close();
    });
  },
);

conformance('PUT as creation [Verbs]', ({ api, names, namespace }) => {
  test('a PUT is a create when the object does not exist, for the kinds that allow it', async () => {
    const ns = await namespace();
    const group = names.group('coordination.orch.io');
    const path = `/apis/${group}/v1/namespaces/${ns}/leases/l`;
    const lease = { apiVersion: `${group}/v1`, kind: 'Lease', metadata: { name: 'l' }, spec: { holderIdentity: 'x' } };
    const created = expectStatus(await api.put(path, lease), 201).json();
    expect(created.metadata).toMatchObject({ name: 'l', namespace: ns });
    expectStatus(await api.put(path, { ...created, spec: { holderIdentity: 'y' } }), 200);
    expectRefusal(await api.put(path.replace(ns, 'no-such-namespace'), lease), 404, 'NotFound');
  });
});

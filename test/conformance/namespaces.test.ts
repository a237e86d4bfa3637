import { expect, test } from 'vitest';
import { configMap, configMaps, conformance, createAll, expectRefusal, expectStatus } from './conformance.js';

conformance('Namespaces [Path shapes, Deletion of an object]', ({ api, names, namespace }) => {
  test('a new one is active, labelled with its name, and kept by a finalizer', async () => {
    const ns = await namespace();
    const found = expectStatus(await api.get(`/api/v1/namespaces/${ns}`), 200).json();
    expect(found.status.phase).toBe('Active');
    expect(found.metadata.labels).toEqual({ [names.key('orch.io/metadata.name')]: ns });
    expect(found.spec.finalizers).toHaveLength(1);
  });

  test('those of the system are there from the start and cannot be deleted', async () => {
    for (const name of ['default', 'kube-system', 'kube-public']) {
      expectStatus(await api.get(`/api/v1/namespaces/${name}`), 200);
      expectRefusal(await api.delete(`/api/v1/namespaces/${name}`), 403, 'Forbidden');
    }
  });

  test('deleting one deletes what is in it, then itself', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'v' } };
    expectStatus(await api.post(`/api/v1/namespaces/${ns}/secrets`, secret), 201);
    const stream = await api.watch(`/api/v1/namespaces?watch=1&fieldSelector=metadata.name=${ns}`);
    const deleted = expectStatus(await api.delete(`/api/v1/namespaces/${ns}`), 200).json();
    expect(deleted.metadata.deletionTimestamp).toBeTypeOf('string');
    expect(deleted.status.phase).toBe('Terminating');
    const events = await stream.until(({ type }) => type === 'DELETED');
    expect(events[0]?.type).toBe('ADDED');
    expect(events.at(-1)?.type).toBe('DELETED');
    stream.close();
    expectRefusal(await api.get(`/api/v1/namespaces/${ns}`), 404, 'NotFound');
    expectStatus(
      await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }),
      201,
    );
    expectRefusal(await api.get(`${configMaps(ns)}/a`), 404, 'NotFound');
    expectRefusal(await api.get(`/api/v1/namespaces/${ns}/secrets/s`), 404, 'NotFound');
  });

  test('while one terminates nothing is made in it, and what has finalizers holds it', async () => {
    const ns = await namespace();
    expectStatus(await api.post(configMaps(ns), configMap('held', { finalizers: ['example.com/hold'] })), 201);
    expectStatus(await api.delete(`/api/v1/namespaces/${ns}`), 200);
    const status = expectRefusal(await api.post(configMaps(ns), configMap('late')), 403, 'Forbidden');
    expect(status.message).toMatch(/because it is being terminated/);
    expect(status.details?.causes).toContainEqual(expect.objectContaining({ reason: 'NamespaceTerminating' }));
    const stream = await api.watch(`/api/v1/namespaces?watch=1&fieldSelector=metadata.name=${ns}`);
    expect((await stream.take(1))[0]?.object.status.phase).toBe('Terminating');
    expectStatus(await api.patch(`${configMaps(ns)}/held`, 'merge', { metadata: { finalizers: null } }), 200);
    expect((await stream.until(({ type }) => type === 'DELETED')).at(-1)?.type).toBe('DELETED');
    stream.close();
  });

  test('a namespace has a name that is a DNS label', async () => {
    const named = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const name of ['a.b', 'Upper', '-a', 'a'.repeat(64)]) {
      expectRefusal(await api.post('/api/v1/namespaces', named(name)), 422, 'Invalid');
    }
  });
});

import { expect, test } from 'vitest';
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

conformanceWithoutNames('Dry run [Dry run]', ({ api, namespace }) => {
  test('create answers what would be stored and stores nothing', async () => {
    const ns = await namespace();
    const answer = expectStatus(await api.post(`${deployments(ns)}?dryRun=All`, deployment('web')), 201).json();
    expect(answer.spec.revisionHistoryLimit).toBe(10);
    expect(answer.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expectRefusal(await api.get(`${deployments(ns)}/web`), 404, 'NotFound');
  });

  test('update, patch and delete change nothing and make no event', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a?dryRun=All`;
    expect(expectStatus(await api.put(path, configMap('a', { data: { a: '2' } })), 200).json().data).toEqual({
      a: '2',
    });
    expect(expectStatus(await api.patch(path, 'merge', { data: { a: '3' } }), 200).json().data).toEqual({ a: '3' });
    expectStatus(await api.delete(path), 200);
    expectStatus(await api.delete(`${configMaps(ns)}/a`, { dryRun: ['All'] }), 200);
    expectStatus(await api.delete(`${configMaps(ns)}?dryRun=All`), 200);
    const kept = expectStatus(await api.get(`${configMaps(ns)}/a`), 200).json();
    expect(kept).toEqual(created);
    const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${created?.metadata.resourceVersion}`);
    await createAll(api, ns, ['fence']);
    expect((await stream.take(1))[0]?.object.metadata.name).toBe('fence');
    stream.close();
  });

  test('a new object may name a version, which only the store refuses', async () => {
    const ns = await namespace();
    const named = (name: string) => ({ ...configMap(name), metadata: { name, resourceVersion: '123' } });
    expectStatus(await api.post(`${configMaps(ns)}?dryRun=All`, named('a')), 201);
    expectRefusal(await api.post(configMaps(ns), named('a')), 400, 'BadRequest');
    expectRefusal(await api.post(configMaps(ns), named('Bad_Name')), 422, 'Invalid');
    expectRefusal(await api.get(`${configMaps(ns)}/a`), 404, 'NotFound');
  });

  test('what would be refused is refused', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    expectRefusal(await api.post(`${configMaps(ns)}?dryRun=All`, configMap('a')), 409, 'AlreadyExists');
    expectRefusal(await api.post(`${configMaps(ns)}?dryRun=All`, configMap('Bad_Name')), 422, 'Invalid');
    expectStatus(await api.put(`${configMaps(ns)}/a`, configMap('a', { data: { a: '2' } })), 200);
    expectRefusal(await api.put(`${configMaps(ns)}/a?dryRun=All`, created), 409, 'Conflict');
    expectRefusal(await api.delete(`${configMaps(ns)}/b?dryRun=All`), 404, 'NotFound');
  });

  test('without a value nothing is stored either, another value is refused', async () => {
    const ns = await namespace();
    await api.post(`${configMaps(ns)}?dryRun`, configMap('a'));
    await api.post(`${configMaps(ns)}?dryRun=`, configMap('a'));
    expectRefusal(await api.get(`${configMaps(ns)}/a`), 404, 'NotFound');
    expectRefusal(await api.post(`${configMaps(ns)}?dryRun=Some`, configMap('a')), 422, 'Invalid');
  });

  test('generated values are there and may differ from those of the real request', async () => {
    const ns = await namespace();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } };
    const tried = expectStatus(await api.post(`${configMaps(ns)}?dryRun=All`, body), 201).json();
    expect(tried.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(tried.metadata.creationTimestamp).toMatch(/Z$/);
    const stored = expectStatus(await api.post(configMaps(ns), body), 201).json();
    expect(stored.metadata.uid).not.toBe(tried.metadata.uid);
    expectRefusal(await api.get(`${configMaps(ns)}/${tried.metadata.name}`), 404, 'NotFound');
  });
});

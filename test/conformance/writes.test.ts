import { expect, test } from 'vitest';
import type { ApiList, StatusObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformance,
  createAll,
  expectRefusal,
  expectStatus,
  list,
  namesIn,
} from './conformance.js';

const deployments = (ns: string) => `/apis/apps/v1/namespaces/${ns}/deployments`;

function deployment(name: string, replicas = 1) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

conformance('Create', ({ api, namespace }) => {
  test('answers 201 with the object and what the server sets', async () => {
    const ns = await namespace();
    const [a, b] = await createAll(api, ns, ['a', 'b']);
    expect(a).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: ns },
      data: { a: '1' },
    });
    expect(a?.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(a?.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(a?.metadata.uid).not.toBe(b?.metadata.uid);
    expect(BigInt(b?.metadata.resourceVersion ?? 0) > BigInt(a?.metadata.resourceVersion ?? 0)).toBe(true);
  });

  test('a name can be held once at a time, and again after deletion', async () => {
    const ns = await namespace();
    const [first] = await createAll(api, ns, ['a']);
    const status = expectRefusal(await api.post(configMaps(ns), configMap('a')), 409, 'AlreadyExists');
    expect(status.message).toBe('configmaps "a" already exists');
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    const [second] = await createAll(api, ns, ['a']);
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  test('generateName makes a unique name', async () => {
    const ns = await namespace();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } };
    const first = expectStatus(await api.post(configMaps(ns), body), 201).json();
    const second = expectStatus(await api.post(configMaps(ns), body), 201).json();
    expect(first.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
  });

  test.each([
    [{ metadata: {} }, 422, 'Invalid', 'no name'],
    [{ metadata: { name: 'Not_A_Name' } }, 422, 'Invalid', 'a name that is none'],
    [{ metadata: { name: 'a', labels: { 'bad key!': 'x' } } }, 422, 'Invalid', 'a label key that is none'],
    [{ metadata: { name: 'a', namespace: 'elsewhere' } }, 400, 'BadRequest', 'another namespace'],
    [{ kind: 'Secret', metadata: { name: 'a' } }, 400, 'BadRequest', 'another kind'],
    [{ apiVersion: 'v2', metadata: { name: 'a' } }, 400, 'BadRequest', 'another version'],
    [{ metadata: { name: 'a' }, data: { k: 5 } }, 400, 'BadRequest', 'a field of another type'],
    [{ metadata: { name: 'a' }, data: [] }, 400, 'BadRequest', 'a list for a map'],
  ] as [object, number, string, string][])('%j is refused with %i %s: %s', async (change, code, reason) => {
    const ns = await namespace();
    const answer = await api.post(configMaps(ns), { apiVersion: 'v1', kind: 'ConfigMap', ...change });
    expectRefusal(answer, code, reason);
  });

  test('a refusal for invalid content names the fields', async () => {
    const ns = await namespace();
    const answer = await api.post(configMaps(ns), configMap('Bad_Name'));
    const status = expectRefusal(answer, 422, 'Invalid');
    expect(status.message).toMatch(/^ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name"/);
    expect(status.details).toMatchObject({ name: 'Bad_Name', kind: 'ConfigMap' });
    expect(status.details?.causes).toContainEqual(
      expect.objectContaining({ reason: 'FieldValueInvalid', field: 'metadata.name' }),
    );
  });

  test('in a namespace that is not there: 404', async () => {
    const status = expectRefusal(await api.post(configMaps('no-such-namespace'), configMap('a')), 404, 'NotFound');
    expect(status.message).toBe('namespaces "no-such-namespace" not found');
  });

  test('defaults are filled in', async () => {
    const ns = await namespace();
    const created = expectStatus(await api.post(deployments(ns), deployment('web')), 201).json();
    expect(created.spec).toMatchObject({
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    });
    expect(created.spec.template.spec).toMatchObject({ restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' });
    expect(created.metadata.generation).toBe(1);
  });
});

conformance('Update', ({ api, namespace }) => {
  test('a stale version is a conflict, none means whatever is there', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const changed = expectStatus(await api.put(path, { ...created, data: { a: '2' } }), 200).json();
    expect(changed.metadata.uid).toBe(created?.metadata.uid);
    const status = expectRefusal(await api.put(path, { ...created, data: { a: '3' } }), 409, 'Conflict');
    expect(status.message).toMatch(/the object has been modified/);
    expect(expectStatus(await api.put(path, configMap('a', { data: { a: '4' } })), 200).json().data).toEqual({
      a: '4',
    });
  });

  test('what changes nothing keeps the version and makes no event', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const same = expectStatus(await api.put(`${configMaps(ns)}/a`, created), 200).json();
    expect(same.metadata.resourceVersion).toBe(created?.metadata.resourceVersion);
    const patched = expectStatus(await api.patch(`${configMaps(ns)}/a`, 'merge', { data: { a: '1' } }), 200).json();
    expect(patched.metadata.resourceVersion).toBe(created?.metadata.resourceVersion);
  });

  test('identity and origin cannot be changed', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const withMetadata = (change: object) => ({ ...configMap('a'), metadata: { name: 'a', ...change } });
    expectRefusal(await api.put(path, withMetadata({ creationTimestamp: '2001-01-01T00:00:00Z' })), 422, 'Invalid');
    expectRefusal(await api.put(path, withMetadata({ uid: '11111111-2222-4333-8444-555555555555' })), 409, 'Conflict');
    const kept = expectStatus(await api.put(path, withMetadata({})), 200).json();
    expect(kept.metadata).toMatchObject({
      uid: created?.metadata.uid,
      creationTimestamp: created?.metadata.creationTimestamp,
    });
  });

  test('the name in the path and that in the object agree', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    expectRefusal(await api.put(`${configMaps(ns)}/a`, configMap('b')), 400, 'BadRequest');
  });

  test('what is not there is not made', async () => {
    expectRefusal(await api.put(`${configMaps(await namespace())}/a`, configMap('a')), 404, 'NotFound');
  });

  test('the status is written through its subresource only, the rest through the resource only', async () => {
    const ns = await namespace();
    const path = `${deployments(ns)}/web`;
    const created = expectStatus(await api.post(deployments(ns), deployment('web')), 201).json();
    const both = { ...created, spec: { ...created.spec, replicas: 3 }, status: { replicas: 9, observedGeneration: 1 } };
    const viaMain = expectStatus(await api.put(path, both), 200).json();
    expect(viaMain.spec.replicas).toBe(3);
    expect(viaMain.status?.replicas).toBeUndefined();
    expect(viaMain.metadata.generation).toBe(2);
    const again = {
      ...viaMain,
      spec: { ...viaMain.spec, replicas: 5 },
      status: { replicas: 3, observedGeneration: 2 },
    };
    const viaStatus = expectStatus(await api.put(`${path}/status`, again), 200).json();
    expect(viaStatus.spec.replicas).toBe(3);
    expect(viaStatus.status).toMatchObject({ replicas: 3 });
    expect(viaStatus.metadata.generation).toBe(2);
  });

  test('the scale of a deployment is read and written by its subresource', async () => {
    const ns = await namespace();
    expectStatus(await api.post(deployments(ns), deployment('web', 2)), 201);
    const scale = expectStatus(await api.get(`${deployments(ns)}/web/scale`), 200).json();
    expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } });
    expectStatus(await api.put(`${deployments(ns)}/web/scale`, { ...scale, spec: { replicas: 7 } }), 200);
    expectStatus(await api.patch(`${deployments(ns)}/web/scale`, 'merge', { spec: { replicas: 8 } }), 200);
    expect(expectStatus(await api.get(`${deployments(ns)}/web`), 200).json().spec.replicas).toBe(8);
  });

  test('a selector of a deployment cannot be changed', async () => {
    const ns = await namespace();
    expectStatus(await api.post(deployments(ns), deployment('web')), 201);
    const labels = { app: 'other' };
    const other = deployment('web');
    const changed = { ...other, spec: { ...other.spec, selector: { matchLabels: labels } } };
    expectRefusal(await api.put(`${deployments(ns)}/web`, changed), 422, 'Invalid');
  });
});

conformance('Patch', ({ api, namespace }) => {
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
      { op: 'add', path: '/data/b~1c', value: '2' },
      { op: 'remove', path: '/data/a' },
    ];
    expect(expectStatus(await api.patch(path, 'json', operations), 200).json().data).toEqual({ 'b/c': '2' });
    const failing = [
      { op: 'add', path: '/data/d', value: '4' },
      { op: 'test', path: '/data/a', value: '1' },
    ];
    expectRefusal(await api.patch(path, 'json', failing), 422, 'Invalid');
    expect(expectStatus(await api.get(path), 200).json().data).toEqual({ 'b/c': '2' });
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

conformance('Delete', ({ api, namespace }) => {
  test('answers with a Status that names what was deleted', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const answer = expectStatus(await api.delete(`${configMaps(ns)}/a`), 200).json<StatusObject>();
    expect(answer).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    expect(answer.details).toMatchObject({ uid: created?.metadata.uid });
    expectRefusal(await api.get(`${configMaps(ns)}/a`), 404, 'NotFound');
    expectRefusal(await api.delete(`${configMaps(ns)}/a`), 404, 'NotFound');
  });

  test('preconditions must hold', async () => {
    const ns = await namespace();
    const [created] = await createAll(api, ns, ['a']);
    const path = `${configMaps(ns)}/a`;
    const options = (preconditions: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions });
    expectRefusal(await api.delete(path, options({ uid: '0b0b0b0b-0000-4000-8000-000000000000' })), 409, 'Conflict');
    expectRefusal(await api.delete(path, options({ resourceVersion: '1' })), 409, 'Conflict');
    const { uid, resourceVersion } = created?.metadata ?? {};
    expectStatus(await api.delete(path, options({ uid, resourceVersion })), 200);
  });

  test('an object with finalizers is terminating until the last is removed', async () => {
    const ns = await namespace();
    const path = `${configMaps(ns)}/a`;
    const finalizers = ['example.com/one', 'example.com/two'];
    expectStatus(await api.post(configMaps(ns), configMap('a', { finalizers })), 201);
    const { metadata } = await list(api, configMaps(ns));
    const stream = await api.watch(`${configMaps(ns)}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    const deleted = expectStatus(await api.delete(path), 200).json();
    expect(deleted.metadata.deletionTimestamp).toMatch(/Z$/);
    const again = expectStatus(await api.delete(path), 200).json();
    expect(again.metadata.deletionTimestamp).toBe(deleted.metadata.deletionTimestamp);
    const more = { metadata: { finalizers: [...finalizers, 'example.com/three'] } };
    expectRefusal(await api.patch(path, 'merge', more), 422, 'Invalid');
    expectStatus(await api.patch(path, 'merge', { metadata: { finalizers: ['example.com/two'] } }), 200);
    expectStatus(await api.get(path), 200);
    expectStatus(await api.patch(path, 'merge', { metadata: { finalizers: null } }), 200);
    expectRefusal(await api.get(path), 404, 'NotFound');
    expect((await stream.take(3)).map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'DELETED']);
    stream.close();
  });

  test.each([
    ['Orphan', 'orphan'],
    ['Foreground', 'foregroundDeletion'],
  ])('propagationPolicy=%s leaves a finalizer for the collector', async (policy, finalizer) => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const deleted = expectStatus(await api.delete(`${configMaps(ns)}/a?propagationPolicy=${policy}`), 200).json();
    expect(deleted.metadata.finalizers).toContain(finalizer);
    expectStatus(await api.patch(`${configMaps(ns)}/a`, 'merge', { metadata: { finalizers: null } }), 200);
  });

  test('an unknown propagation policy is refused', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a']);
    const answer = await api.delete(`${configMaps(ns)}/a`, { propagationPolicy: 'Sideways' });
    expectRefusal(answer, 422, 'Invalid');
  });

  test('a collection is deleted as far as it is selected', async () => {
    const ns = await namespace();
    for (const name of ['a', 'b', 'c']) {
      expectStatus(await api.post(configMaps(ns), configMap(name, { labels: { keep: String(name === 'b') } })), 201);
    }
    const answer = expectStatus(await api.delete(`${configMaps(ns)}?labelSelector=keep=false`), 200).json<ApiList>();
    expect(answer.kind).toMatch(/ConfigMapList|Status/);
    expect(namesIn(await list(api, configMaps(ns)))).toEqual(['b']);
    expectStatus(await api.delete(configMaps(ns)), 200);
    expect(namesIn(await list(api, configMaps(ns)))).toEqual([]);
  });
});

conformance('Dry run', ({ api, namespace }) => {
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
});

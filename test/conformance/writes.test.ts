import { expect, test } from 'vitest';
import type { ApiList, StatusObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformanceWithoutNames,
  createAll,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
  list,
  namesIn,
} from './conformance.js';

conformanceWithoutNames('Create [Path shapes]', ({ api, namespace }) => {
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

  test('tells of what is taken and strange, in a dry run too, and in an update of it', async () => {
    const ns = await namespace();
    const strange = deployment('a.b');
    const { containers } = strange.spec.template.spec;
    Object.assign(containers[0] as object, {
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    });
    const repeated = 'spec.template.spec.containers[0].env[1].name: duplicate name "A"';
    const named = expect.stringMatching(/^metadata.name: this is used in Pod names and hostnames, which can/);
    for (const query of ['?dryRun=All', '']) {
      const { warnings } = expectStatus(await api.post(deployments(ns) + query, strange), 201);
      expect([...warnings].sort()).toEqual([named, repeated]);
    }
    const path = `${deployments(ns)}/a.b`;
    const labelled = await api.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(expectStatus(labelled, 200).warnings).toEqual([]);
    const scaled = await api.patch(path, 'merge', { spec: { replicas: 7 } });
    expect(expectStatus(scaled, 200).warnings).toEqual([repeated]);
    const status = await api.patch(`${path}/status`, 'merge', { status: { replicas: 1 } });
    expect(expectStatus(status, 200).warnings).toEqual([]);
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

conformanceWithoutNames('Update [Path shapes]', ({ api, namespace }) => {
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
    expectRefusal(await api.put(path, withMetadata({ uid: '11111111-2222-4333-8444-555555555555' })), 409, 'Conflict');
    for (const change of [{}, { creationTimestamp: '2001-01-01T00:00:00Z' }]) {
      const kept = expectStatus(await api.put(path, withMetadata(change)), 200).json();
      expect(kept.metadata).toMatchObject({
        uid: created?.metadata.uid,
        creationTimestamp: created?.metadata.creationTimestamp,
      });
    }
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

conformanceWithoutNames('Delete [Deletion of an object]', ({ api, namespace }) => {
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

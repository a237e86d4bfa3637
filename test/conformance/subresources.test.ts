import { expect, test } from 'vitest';
import { CERTIFICATE_REQUEST } from '../support/certificate-request.js';
import { conformance, conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

const pods = (ns: string) => `/api/v1/namespaces/${ns}/pods`;
const containers = [{ name: 'c', image: 'i' }];
const labels = { app: 'web' };
const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };

conformanceWithoutNames('The status subresource [Path shapes]', ({ api, namespace }) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };

  test('GET reads the object, PATCH of any type writes its status only', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), pod), 201);
    const path = `${pods(ns)}/p/status`;
    expect(expectStatus(await api.get(path), 200).json()).toMatchObject({ kind: 'Pod', status: { phase: 'Pending' } });
    const patch = { metadata: { labels: { from: 'status' } }, spec: { nodeName: 'n' }, status: { phase: 'Running' } };
    const patched = expectStatus(await api.patch(path, 'strategic-merge', patch), 200).json();
    expect(patched.status.phase).toBe('Running');
    expect(patched.spec.nodeName).toBeUndefined();
    const operations = [{ op: 'replace', path: '/status/phase', value: 'Succeeded' }];
    expect(expectStatus(await api.patch(path, 'json', operations), 200).json().status.phase).toBe('Succeeded');
  });

  test('a status that is stale is a conflict; as a dry run nothing is persisted', async () => {
    const ns = await namespace();
    const created = expectStatus(await api.post(pods(ns), pod), 201).json();
    const running = { ...created, status: { ...created.status, phase: 'Running' } };
    const tried = expectStatus(await api.put(`${pods(ns)}/p/status?dryRun=All`, running), 200).json();
    expect(tried.status.phase).toBe('Running');
    expect(expectStatus(await api.get(`${pods(ns)}/p`), 200).json()).toEqual(created);
    expectStatus(await api.put(`${pods(ns)}/p/status`, running), 200);
    expectRefusal(await api.put(`${pods(ns)}/p/status`, running), 409, 'Conflict');
  });

  test('a watch by a field of the status shows the object enter and leave', async () => {
    const ns = await namespace();
    expectStatus(await api.post(pods(ns), pod), 201);
    const stream = await api.watch(`${pods(ns)}?watch=1&fieldSelector=status.phase=Running`);
    for (const phase of ['Running', 'Succeeded']) {
      expectStatus(await api.patch(`${pods(ns)}/p/status`, 'merge', { status: { phase } }), 200);
    }
    const events = await stream.take(2);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    // What has left is shown as it last was inside, at the version at which it left.
    expect(events[1]?.object.status.phase).toBe('Running');
    stream.close();
  });

  test('a subresource that the kind does not have is not found', async () => {
    const ns = await namespace();
    expectRefusal(await api.get(`/api/v1/namespaces/${ns}/configmaps/a/status`), 404, 'NotFound');
    expectRefusal(await api.get(`${pods(ns)}/p/nosuch`), 404, 'NotFound');
    expectRefusal(await api.delete(`${pods(ns)}/p/status`), 405, 'MethodNotAllowed');
  });
});

conformance('The scale subresource [Path shapes]', ({ api, names, namespace }) => {
  const KINDS = [
    ['apps/v1', 'Deployment', 'deployments', {}],
    ['apps/v1', 'ReplicaSet', 'replicasets', {}],
    ['apps/v1', 'StatefulSet', 'statefulsets', { serviceName: 'web' }],
  ] as const;

  test.each(KINDS)(
    'of %s %s reads and writes replicas, with the selector as text',
    async (apiVersion, kind, resource, more) => {
      const ns = await namespace();
      const path = `/apis/${apiVersion}/namespaces/${ns}/${resource}`;
      const body = { apiVersion, kind, metadata: { name: 'web' }, spec: { ...workload, ...more, replicas: 2 } };
      expectStatus(await api.post(path, body), 201);
      const scale = expectStatus(await api.get(`${path}/web/scale`), 200).json();
      expect(scale).toMatchObject({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'web', namespace: ns },
        spec: { replicas: 2 },
        status: { replicas: 0, selector: 'app=web' },
      });
      const scaled = expectStatus(await api.put(`${path}/web/scale`, { ...scale, spec: { replicas: 4 } }), 200).json();
      expect(scaled.spec.replicas).toBe(4);
      expectRefusal(await api.put(`${path}/web/scale`, { ...scale, spec: { replicas: 5 } }), 409, 'Conflict');
      expectRefusal(await api.patch(`${path}/web/scale`, 'merge', { spec: { replicas: -1 } }), 422, 'Invalid');
      const tried = await api.patch(`${path}/web/scale?dryRun=All`, 'merge', { spec: { replicas: 6 } });
      expect(expectStatus(tried, 200).json().spec.replicas).toBe(6);
      expect(expectStatus(await api.get(`${path}/web`), 200).json().spec.replicas).toBe(4);
      expectRefusal(await api.get(`${path}/none/scale`), 404, 'NotFound');
    },
  );

  test('comes in the binary encoding too', async () => {
    const ns = await namespace();
    const path = `/apis/apps/v1/namespaces/${ns}/deployments`;
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: workload };
    expectStatus(await api.post(path, body), 201);
    const media = names.protobufMediaType;
    const read = expectStatus(await api.get(`${path}/web/scale`, { accept: media }), 200);
    expect(read.headers['content-type']).toBe(media);
    const headers = { 'content-type': media, accept: 'application/json' };
    const written = await api.request('PUT', `${path}/web/scale`, { body: read.body, headers });
    expect(expectStatus(written, 200).json()).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } });
  });

  test.each(['{"spec":{"replicas":99999999999999999999}}', '{"spec":{"replicas":"two"}}', '{"spec":[]}', '[]'])(
    'refuses %s',
    async (patch) => {
      const ns = await namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments`;
      const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: workload };
      expectStatus(await api.post(path, body), 201);
      expectRefusal(await api.patch(`${path}/web/scale`, 'merge', patch), 400, 'BadRequest');
    },
  );
});

conformance('Further subresources [Path shapes]', ({ api, names, namespace }) => {
  test('ephemeral containers are added to a pod through theirs only', async () => {
    const ns = await namespace();
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
    expectStatus(await api.post(pods(ns), pod), 201);
    const patch = { spec: { ephemeralContainers: [{ name: 'debug', image: 'tools' }] } };
    const path = `${pods(ns)}/p/ephemeralcontainers`;
    const patched = expectStatus(await api.patch(path, 'strategic-merge', patch), 200).json();
    expect(patched.spec.ephemeralContainers).toMatchObject([{ name: 'debug', image: 'tools' }]);
    expect(patched.spec.containers).toHaveLength(1);
  });

  test('a certificate request is approved through its approval, and what was asked for stays', async () => {
    const group = names.group('certificates.orch.io');
    const path = `/apis/${group}/v1/certificatesigningrequests`;
    const name = `csr-${(await namespace()).slice(2)}`;
    // One that nobody signs for meanwhile.
    const signerName = 'example.com/signer';
    const spec = { request: CERTIFICATE_REQUEST, signerName, usages: ['client auth'] };
    const body = { apiVersion: `${group}/v1`, kind: 'CertificateSigningRequest', metadata: { name }, spec };
    const created = expectStatus(await api.post(path, body), 201).json();
    const condition = { type: 'Approved', status: 'True', reason: 'Seen', message: 'by a test' };
    const decided = {
      ...created,
      spec: { ...created.spec, usages: ['server auth'] },
      status: { conditions: [condition] },
    };
    const approved = expectStatus(await api.put(`${path}/${name}/approval`, decided), 200).json();
    expect(approved.status.conditions).toMatchObject([condition]);
    expect(approved.spec.usages).toEqual(['client auth']);
    const status = { certificate: Buffer.from('not by this door').toString('base64') };
    const sneaked = await api.patch(`${path}/${name}`, 'merge', { status });
    expect(expectStatus(sneaked, 200).json().status).not.toHaveProperty('certificate');
    expectStatus(await api.delete(`${path}/${name}`), 200);
  });

  test('a namespace with a finalizer of its own goes when finalize removes it', async () => {
    const name = `fin-${(await namespace()).slice(2)}`;
    const body = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: ['example.com/hold'] },
    };
    expectStatus(await api.post('/api/v1/namespaces', body), 201);
    const stream = await api.watch(`/api/v1/namespaces?watch=1&fieldSelector=metadata.name=${name}`);
    const deleted = expectStatus(await api.delete(`/api/v1/namespaces/${name}`), 200).json();
    expect(deleted.status.phase).toBe('Terminating');
    const ownOnly = await stream.until(({ object }) => object.spec.finalizers?.length === 1);
    expect(ownOnly.at(-1)?.object.spec.finalizers).toEqual(['example.com/hold']);
    const current = expectStatus(await api.get(`/api/v1/namespaces/${name}`), 200).json();
    const released = { ...current, spec: { finalizers: [] } };
    expectStatus(await api.put(`/api/v1/namespaces/${name}/finalize`, released), 200);
    expect((await stream.until(({ type }) => type === 'DELETED')).at(-1)?.type).toBe('DELETED');
    stream.close();
  });
});

import { expect, test } from 'vitest';
import type { Answer, Api, ApiObject } from '../support/api.js';
import {
  configMap,
  configMaps,
  conformance,
  deployment,
  deployments,
  expectRefusal,
  expectStatus,
  list,
} from './conformance.js';

const POLL = { timeout: 30_000, interval: 20 };
const quotas = (ns: string) => `/api/v1/namespaces/${ns}/resourcequotas`;
const pods = (ns: string) => `/api/v1/namespaces/${ns}/pods`;
const services = (ns: string) => `/api/v1/namespaces/${ns}/services`;
const claims = (ns: string) => `/api/v1/namespaces/${ns}/persistentvolumeclaims`;

const quotaOf = (name: string, hard: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard, ...more },
});
const podOf = (name: string, resources: object = {}, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources }], terminationGracePeriodSeconds: 0, ...more },
});

const statusOf = async (api: Api, ns: string, name: string) =>
  (await api.get(`${quotas(ns)}/${name}`)).json<ApiObject>().status ?? {};

/** Makes a quota, and waits until it has been counted. */
async function makeQuota(api: Api, ns: string, name: string, hard: Record<string, string>, more: object = {}) {
  expectStatus(await api.post(quotas(ns), quotaOf(name, hard, more)), 201);
  await counted(api, ns, name, hard);
}

const counted = (api: Api, ns: string, name: string, hard: Record<string, string>) =>
  expect
    .poll(async () => {
      const { used = {}, hard: limits } = await statusOf(api, ns, name);
      return [Object.keys(used).sort(), limits];
    }, POLL)
    .toEqual([Object.keys(hard).sort(), hard]);

const forbiddenAs = (answer: Answer, why: string) =>
  expect(expectRefusal(answer, 403, 'Forbidden').message).toMatch(new RegExp(`is forbidden: ${why}$`));

conformance('Quotas [Admission stages]', ({ api, names, namespace }) => {
  test('let pods in that come right after them', async () => {
    for (let round = 0; round < 10; round++) {
      const ns = await namespace();
      expectStatus(await api.post(quotas(ns), quotaOf('q', { pods: '1' })), 201);
      expectStatus(await api.post(pods(ns), podOf('a')), 201);
      forbiddenAs(
        await api.post(pods(ns), podOf('b')),
        'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      );
    }
  });

  test('count what is there, and are charged with what is written', async () => {
    const ns = await namespace();
    for (const name of ['a', 'b']) expectStatus(await api.post(configMaps(ns), configMap(name)), 201);
    const [hard, hardOfQuotas] = [{ configmaps: '4', 'count/deployments.apps': '1' }, { resourcequotas: '2' }];
    await makeQuota(api, ns, 'q', hard);
    const used = async () => (await statusOf(api, ns, 'q')).used;
    expect(await used()).toEqual({ configmaps: '2', 'count/deployments.apps': '0' });
    for (const name of ['c', 'd']) expectStatus(await api.post(configMaps(ns), configMap(name)), 201);
    forbiddenAs(
      await api.post(configMaps(ns), configMap('e')),
      'exceeded quota: q, requested: configmaps=1, used: configmaps=4, limited: configmaps=4',
    );
    expectRefusal(await api.post(configMaps(ns), configMap('d')), 409, 'AlreadyExists');
    expectStatus(await api.post(deployments(ns), deployment('d')), 201);
    forbiddenAs(
      await api.post(deployments(ns), deployment('e')),
      'exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1',
    );
    expect(await used()).toEqual({ configmaps: '4', 'count/deployments.apps': '1' });
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    expectStatus(await api.delete(deployments(ns)), 200);
    expect(await used()).toEqual({ configmaps: '3', 'count/deployments.apps': '0' });
    await makeQuota(api, ns, 'r', hardOfQuotas);
    expect((await statusOf(api, ns, 'r')).used).toEqual({ resourcequotas: '2' });
    forbiddenAs(
      await api.post(quotas(ns), quotaOf('s', {})),
      'exceeded quota: r, requested: resourcequotas=1, used: resourcequotas=2, limited: resourcequotas=2',
    );
  });

  test('are true at every version', async () => {
    const ns = await namespace();
    await makeQuota(api, ns, 'q', { configmaps: '20' });
    const from = (await list(api, quotas(ns))).metadata.resourceVersion;
    const writers = Array.from({ length: 40 }, async (_, i) => {
      const { status } = await api.post(configMaps(ns), configMap(`c${i}`));
      if (status === 201 && i % 4 === 0) expectStatus(await api.delete(`${configMaps(ns)}/c${i}`), 200);
      return status;
    });
    const codes = await Promise.all(writers);
    expect(new Set(codes)).toEqual(new Set([201, 403]));
    const { items, metadata } = await list(api, configMaps(ns));
    const end = (await api.get(`${quotas(ns)}/q`)).json<ApiObject>();
    expect(end.status.used).toEqual({ configmaps: String(items.length) });
    expect(Number(end.metadata.resourceVersion)).toBeGreaterThan(Number(from));
    const stream = await api.watch(`${quotas(ns)}?watch=1&resourceVersion=${from}`);
    for (let last = ''; last !== end.metadata.resourceVersion; ) {
      const [event] = await stream.take(1);
      if (!event) throw new Error('the watch ended');
      const { metadata: seen, status } = event.object as ApiObject;
      last = seen.resourceVersion;
      // A list can be had at versions of its type only; the last one before that of the quota is the same.
      const then = Number(last) < Number(metadata.resourceVersion) ? last : metadata.resourceVersion;
      const there = await list(api, `${configMaps(ns)}?resourceVersion=${then}&resourceVersionMatch=Exact`);
      expect([last, status.used.configmaps]).toEqual([last, String(there.items.length)]);
    }
    stream.close();
  });

  test('have the amounts of pods, which have to say them', async () => {
    const ns = await namespace();
    const hard = { pods: '5', 'requests.cpu': '1', 'limits.memory': '2Gi', 'requests.example.com/gpu': '1' };
    await makeQuota(api, ns, 'q', hard);
    forbiddenAs(
      await api.post(pods(ns), podOf('p', { requests: { memory: '1' } })),
      'failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    );
    const resources = {
      requests: { cpu: '400m', 'example.com/gpu': '1' },
      limits: { memory: '1Gi', 'example.com/gpu': '1' },
    };
    expectStatus(await api.post(pods(ns), podOf('p', resources)), 201);
    const used = { pods: '1', 'requests.cpu': '400m', 'limits.memory': '1Gi', 'requests.example.com/gpu': '1' };
    expect((await statusOf(api, ns, 'q')).used).toEqual(used);
    forbiddenAs(
      await api.post(pods(ns), podOf('o', { requests: { cpu: '700m' }, limits: { memory: '1025Mi' } })),
      'exceeded quota: q, requested: limits.memory=1025Mi,requests.cpu=700m, used: limits.memory=1Gi,requests.cpu=400m, limited: limits.memory=2Gi,requests.cpu=1',
    );
    const ended = { status: { phase: 'Succeeded' } };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    expectStatus(await api.request('PATCH', `${pods(ns)}/p/status`, { body: ended, headers }), 200);
    expect((await statusOf(api, ns, 'q')).used).toEqual({
      ...used,
      pods: '0',
      'requests.cpu': '0',
      'limits.memory': '0',
      'requests.example.com/gpu': '0',
    });
  });

  test('count in scopes', async () => {
    const ns = await namespace();
    await makeQuota(api, ns, 'best', { pods: '1' }, { scopes: ['BestEffort'] });
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }];
    await makeQuota(api, ns, 'class', { pods: '0' }, { scopeSelector: { matchExpressions } });
    expectStatus(await api.post(pods(ns), podOf('a')), 201);
    forbiddenAs(
      await api.post(pods(ns), podOf('b')),
      'exceeded quota: best, requested: pods=1, used: pods=1, limited: pods=1',
    );
    expectStatus(await api.post(pods(ns), podOf('b', { requests: { cpu: '1' } })), 201);
    const critical = podOf('c', { requests: { cpu: '1' } }, { priorityClassName: 'system-node-critical' });
    forbiddenAs(
      await api.post(pods(ns), critical),
      'exceeded quota: class, requested: pods=1, used: pods=0, limited: pods=0',
    );
  });

  test('are counted anew where they are about other objects than before', async () => {
    const ns = await namespace();
    const about = (scopeName: string) => ({ scopeSelector: { matchExpressions: [{ scopeName, operator: 'Exists' }] } });
    await makeQuota(api, ns, 'q', { pods: '9' }, about('BestEffort'));
    for (const name of ['a', 'b']) expectStatus(await api.post(pods(ns), podOf(name)), 201);
    expectStatus(await api.post(pods(ns), podOf('c', { requests: { cpu: '1' } })), 201);
    expect((await statusOf(api, ns, 'q')).used).toEqual({ pods: '2' });
    const body = { spec: about('NotBestEffort') };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    expectStatus(await api.request('PATCH', `${quotas(ns)}/q`, { body, headers }), 200);
    await expect.poll(async () => (await statusOf(api, ns, 'q')).used, POLL).toEqual({ pods: '1' });
    expectStatus(await api.delete(`${pods(ns)}/c?gracePeriodSeconds=0`), 200);
    expect((await statusOf(api, ns, 'q')).used).toEqual({ pods: '0' });
  });

  test('follow updates of what they count', async () => {
    const ns = await namespace();
    const gold = `gold.storageclass.${names.group('storage.orch.io')}/requests.storage`;
    await makeQuota(api, ns, 'q', {
      'services.nodeports': '1',
      'services.loadbalancers': '0',
      'requests.storage': '3Gi',
      [gold]: '2Gi',
    });
    const service = (name: string, type: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { type, ports: [{ port: 80 }] },
    });
    const made = expectStatus(await api.post(services(ns), service('a', 'ClusterIP')), 201).json<ApiObject>();
    expectStatus(await api.put(`${services(ns)}/a`, { ...made, spec: { ...made.spec, type: 'NodePort' } }), 200);
    const used = async () => (await statusOf(api, ns, 'q')).used;
    expect((await used())['services.nodeports']).toBe('1');
    forbiddenAs(
      await api.post(services(ns), service('b', 'LoadBalancer')),
      'exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=1, used: services.loadbalancers=0,services.nodeports=1, limited: services.loadbalancers=0,services.nodeports=1',
    );
    expectStatus(await api.delete(`${services(ns)}/a`), 200);
    expect((await used())['services.nodeports']).toBe('0');
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c' },
      spec: {
        storageClassName: 'gold',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1536Mi' } },
      },
    };
    expectStatus(await api.post(claims(ns), claim), 201);
    expect(await used()).toMatchObject({ 'requests.storage': '1536Mi', [gold]: '1536Mi' });
    forbiddenAs(
      await api.post(claims(ns), { ...claim, metadata: { name: 'd' } }),
      `exceeded quota: q, requested: ${gold}=1536Mi, used: ${gold}=1536Mi, limited: ${gold}=2Gi`,
    );
    expectStatus(await api.delete(`${claims(ns)}/c`), 200);
  });

  test('follow their spec, and nobody else says what is used', async () => {
    const ns = await namespace();
    await makeQuota(api, ns, 'q', { configmaps: '1' });
    expectStatus(await api.post(configMaps(ns), configMap('a')), 201);
    const patch = async (path: string, body: object) => {
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      return expectStatus(await api.request('PATCH', path, { body, headers }), 200).json<ApiObject>();
    };
    const said = await patch(`${quotas(ns)}/q/status`, { status: { used: { configmaps: '0' } } });
    expect(said.status.used).toEqual({ configmaps: '1' });
    expect((await patch(`${quotas(ns)}/q`, { spec: { hard: { configmaps: '2' } } })).status).toEqual({
      hard: { configmaps: '2' },
      used: { configmaps: '1' },
    });
    expectStatus(await api.post(configMaps(ns), configMap('b')), 201);
    forbiddenAs(await api.post(configMaps(ns), configMap('c')), 'exceeded quota: q, .*');
    await patch(`${quotas(ns)}/q`, { spec: { hard: { configmaps: '9', secrets: '1' } } });
    await counted(api, ns, 'q', { configmaps: '9', secrets: '1' });
    expect((await statusOf(api, ns, 'q')).used).toEqual({ configmaps: '2', secrets: '0' });
    // Others who keep quotas may write limits through the status; they are made to follow the spec again.
    await patch(`${quotas(ns)}/q/status`, { status: { hard: { configmaps: '3' } } });
    await counted(api, ns, 'q', { configmaps: '9', secrets: '1' });
    expectStatus(await api.delete(`${quotas(ns)}/q`), 200);
    expectStatus(await api.post(configMaps(ns), configMap('c')), 201);
  });

  test('are charged nothing by what only looks', async () => {
    const ns = await namespace();
    await makeQuota(api, ns, 'q', { configmaps: '1' });
    expectStatus(await api.post(`${configMaps(ns)}?dryRun=All`, configMap('a')), 201);
    expect((await statusOf(api, ns, 'q')).used).toEqual({ configmaps: '0' });
    expectStatus(await api.post(configMaps(ns), configMap('a', { finalizers: ['example.com/f'] })), 201);
    expectStatus(await api.delete(`${configMaps(ns)}/a`), 200);
    expect((await statusOf(api, ns, 'q')).used).toEqual({ configmaps: '1' });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    expectStatus(
      await api.request('PATCH', `${configMaps(ns)}/a`, { body: { metadata: { finalizers: null } }, headers }),
      200,
    );
    expect((await statusOf(api, ns, 'q')).used).toEqual({ configmaps: '0' });
  });

  test('count custom kinds, and what is emptied with its namespace or its kind', async () => {
    const ns = await namespace();
    const group = `${ns}.example.com`;
    const definitions = `/apis/${names.group('apiextensions.orch.io')}/v1/customresourcedefinitions`;
    const definition = {
      metadata: { name: `quads.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'quads', kind: 'Quad' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    const quads = `/apis/${group}/v1/namespaces/${ns}/quads`;
    const quad = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Quad', metadata: { name } });
    expectStatus(await api.post(definitions, definition), 201);
    await expect.poll(async () => (await api.post(quads, quad('a'))).status, POLL).toBe(201);
    const counted = `count/quads.${group}`;
    await makeQuota(api, ns, 'q', { [counted]: '2' });
    const used = async () => (await statusOf(api, ns, 'q')).used;
    expect(await used()).toEqual({ [counted]: '1' });
    expectStatus(await api.post(quads, quad('b')), 201);
    forbiddenAs(
      await api.post(quads, quad('c')),
      `exceeded quota: q, requested: ${counted}=1, used: ${counted}=2, limited: ${counted}=2`,
    );
    expectStatus(await api.delete(`${definitions}/quads.${group}`), 200);
    await expect.poll(used, POLL).toEqual({ [counted]: '0' });
    expectStatus(await api.post(configMaps(ns), configMap('a')), 201);
    expectStatus(await api.delete(`/api/v1/namespaces/${ns}`), 200);
    await expect.poll(async () => (await api.get(`/api/v1/namespaces/${ns}`)).status, POLL).toBe(404);
  });

  test('let updates of one object through that many make at once', async () => {
    const ns = await namespace();
    await makeQuota(api, ns, 'q', { 'services.nodeports': '1', services: '2' });
    for (const name of ['a', 'b']) {
      const spec = { ports: [{ port: 80 }] };
      expectStatus(await api.post(services(ns), { metadata: { name }, spec }), 201);
    }
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patch = (name: string, body: object) => api.request('PATCH', `${services(ns)}/${name}`, { body, headers });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        if (i === 7)
          return patch('a', {
            spec: {
              type: 'NodePort',
              ports: [
                { port: 80, name: 'y' },
                { port: 81, name: 'x' },
              ],
            },
          });
        return patch(i % 2 ? 'a' : 'b', { metadata: { labels: { [`l${i}`]: 'x' } } });
      }),
    );
    const codes = answers.map(({ status }) => status);
    expect(codes.filter((_, i) => i !== 7)).toEqual(Array.from({ length: 19 }, () => 200));
    expect(codes[7]).toBe(403);
    const types = await Promise.all(['a', 'b'].map((name) => patch(name, { spec: { type: 'NodePort' } })));
    expect(types.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect((await statusOf(api, ns, 'q')).used).toEqual({ 'services.nodeports': '1', services: '2' });
  });
});

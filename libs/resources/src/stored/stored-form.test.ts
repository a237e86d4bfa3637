import { request as httpRequest } from 'node:http';
import { STANDARD_SETTINGS } from '@orch/kinds';
import { type ApiObject, namesOf } from '@orch/machinery';
import { listenerOf, MemoryStore, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildEndpoints } from '../served/endpoints.js';

const HPA = 'horizontalpodautoscalers';
const path = (version: string, name = '') =>
  `/apis/autoscaling/${version}/namespaces/default/${HPA}${name && `/${name}`}`;
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const MEMORY = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 30 } },
};
const CPU = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
const autoscaler = (name: string, metrics: readonly object[] = [CPU, MEMORY]) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, labels: { app: name } },
  spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics },
});

interface Running {
  readonly api: TestApi;
  readonly server: TestServer;
}

async function start(store: MemoryStore, storageVersions: readonly string[]): Promise<Running> {
  const api = await testApi({}, 'orch', store, {}, [], storageVersions);
  return { api, server: await openServer(listenerOf(api)) };
}

const stop = async ({ api, server }: Running): Promise<void> => {
  await server.close();
  api.close();
};

/** One server writes as releases do, the other in another version; both at one database. */
let usual: Running;
let other: Running;
beforeEach(async () => {
  const store = new MemoryStore();
  usual = await start(store, []);
  other = await start(store.peer(), ['autoscaling/v1', 'flowcontrol.apiserver.orch.io/v1beta2']);
});
afterEach(async () => {
  await stop(usual);
  await stop(other);
});

const row = ({ api }: Running, name: string) =>
  api.store.rows(api.endpoint(HPA).type).find((each) => each.name === name) ?? expect.unreachable();
const lying = (running: Running, name: string): ApiObject => JSON.parse(row(running, name).body.toString());

async function ask({ server }: Running, method: string, at: string, body?: object, type = 'application/json') {
  const answer = await server.ask(at, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': type }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.status, answer.body.toString()).toBeLessThan(300);
  return JSON.parse(answer.body.toString());
}

const both = () =>
  [
    [usual, other],
    [other, usual],
  ] as const;

describe('objects that lie in several versions', () => {
  it('are written in the version that the server is told, and read by every server in every version', async () => {
    for (const [writer, reader] of both()) {
      const name = writer === usual ? 'as-ever' : 'otherwise';
      await ask(writer, 'POST', path('v2'), autoscaler(name));
      expect(row(writer, name).storedVersion).toBe(writer === usual ? 'v2' : 'v1');
      for (const server of [writer, reader]) {
        const { spec, metadata } = await ask(server, 'GET', path('v2', name));
        expect(spec).toEqual(autoscaler(name).spec);
        expect(metadata.annotations).toBeUndefined();
        expect((await ask(server, 'GET', path('v1', name))).spec.targetCPUUtilizationPercentage).toBe(50);
      }
    }
    expect(lying(other, 'otherwise').spec).not.toHaveProperty('metrics');
    expect(lying(other, 'as-ever').spec).toHaveProperty('metrics');
  });

  it('tell of the defaults of the version that they lie in, and of no other', async () => {
    const { form } = usual.api.endpoint(HPA, undefined, 'v2');
    await ask(usual, 'POST', path('v2'), autoscaler('a'));
    await ask(other, 'POST', path('v2'), autoscaler('b'));
    const old = { ...autoscaler('c'), apiVersion: 'autoscaling/v1', spec: { scaleTargetRef, maxReplicas: 3 } };
    await ask(usual, 'POST', path('v1'), old);
    await ask(other, 'POST', path('v1'), { ...old, metadata: { name: 'd' } });
    expect(form.defaults).toBeGreaterThan(0);
    expect(['a', 'b', 'c', 'd'].map((name) => row(usual, name).defaults)).toEqual([form.defaults, 0, 0, form.defaults]);
    const same = await ask(usual, 'GET', path('v2', 'c'));
    await ask(usual, 'PATCH', path('v2', 'c'), { metadata: { labels: { x: 'y' } } }, 'application/merge-patch+json');
    expect(row(usual, 'c').defaults).toBe(form.defaults);
    expect((await ask(usual, 'GET', path('v2', 'c'))).spec).toEqual(same.spec);
  });

  it('stand side by side in a list, from the database and from memory, in JSON and in tables', async () => {
    await ask(usual, 'POST', path('v2'), autoscaler('a'));
    await ask(other, 'POST', path('v2'), autoscaler('b'));
    for (const server of [usual, other]) {
      for (const query of ['', '?resourceVersion=0', '?limit=1', '?labelSelector=app%20in%20(a,b)']) {
        const { items } = await ask(server, 'GET', `${path('v2')}${query}`);
        for (const item of items) expect(item.spec).toEqual(autoscaler('').spec);
        expect(items).toHaveLength(query === '?limit=1' ? 1 : 2);
        const old = (await ask(server, 'GET', `${path('v1')}${query}`)).items;
        for (const item of old) expect(item.spec).toMatchObject({ targetCPUUtilizationPercentage: 50 });
      }
      const table = await server.server.ask(path('v2'), {
        headers: { accept: `application/json;as=Table;v=v1;g=${namesOf('orch').metaGroup}` },
      });
      const { rows } = JSON.parse(table.body.toString());
      expect(rows.map(({ cells }: { cells: unknown[] }) => cells[2])).toEqual(Array(2).fill(rows[0].cells[2]));
      expect(rows[0].cells[2]).toContain('50%');
    }
  });

  it('are served as they lie where they lie in the version that is asked for', async () => {
    await ask(other, 'POST', path('v1'), {
      ...autoscaler('a'),
      apiVersion: 'autoscaling/v1',
      spec: { scaleTargetRef, maxReplicas: 3 },
    });
    const { body } = row(other, 'a');
    const { body: answer } = await other.server.ask(path('v1', 'a'), { headers: { accept: 'application/json' } });
    // The status alone lacks what is always written.
    expect(answer.toString()).toContain(body.toString().slice('{"metadata":{'.length, -'}}'.length));
    expect(answer.toString().endsWith(',"currentReplicas":0}}')).toBe(true);
  });

  it('change their version with the next write, and with nothing else', async () => {
    await ask(usual, 'POST', path('v2'), autoscaler('a'));
    const before = row(usual, 'a').version;
    const same = await ask(usual, 'GET', path('v2', 'a'));
    await ask(usual, 'PUT', path('v2', 'a'), same);
    expect(row(usual, 'a').version).toBe(before);
    // A migration of what is stored writes every object as it is.
    const moved = await ask(other, 'PUT', path('v2', 'a'), same);
    expect([row(other, 'a').storedVersion, moved.spec]).toEqual(['v1', autoscaler('a').spec]);
    expect(row(other, 'a').version).toBeGreaterThan(before);
    await ask(other, 'PUT', path('v2', 'a'), moved);
    expect(String(row(other, 'a').version)).toBe(moved.metadata.resourceVersion);
    const patch = { spec: { maxReplicas: 9 } };
    const patched = await ask(usual, 'PATCH', path('v1', 'a'), patch, 'application/merge-patch+json');
    expect(patched.spec).toMatchObject({ maxReplicas: 9, targetCPUUtilizationPercentage: 50 });
    expect(row(usual, 'a').storedVersion).toBe('v2');
    expect((await ask(other, 'GET', path('v2', 'a'))).spec).toEqual({ ...autoscaler('a').spec, maxReplicas: 9 });
    await ask(other, 'DELETE', path('v2', 'a'));
    expect(usual.api.store.rows(usual.api.endpoint(HPA).type)).toEqual([]);
  });

  it('answer a write with the object itself, in the version of the request', async () => {
    const created = await ask(other, 'POST', path('v2'), autoscaler('a'));
    expect(created.spec).toEqual(autoscaler('a').spec);
    const patched = await Promise.all(
      [4, 5, 6].map((maxReplicas) =>
        ask(other, 'PATCH', path('v2', 'a'), { spec: { maxReplicas } }, 'application/merge-patch+json'),
      ),
    );
    for (const { spec } of patched) expect(spec.metrics).toEqual([CPU, MEMORY]);
    const tried = await ask(other, 'POST', `${path('v2')}?dryRun=All`, autoscaler('b'));
    expect(tried.spec).toEqual(autoscaler('b').spec);
  });

  it('come to watches in the version that is watched', async () => {
    const watched = events(usual, `${path('v2')}?watch=1`, 3);
    await watched.open;
    await ask(other, 'POST', path('v2'), autoscaler('a'));
    await ask(usual, 'PATCH', path('v2', 'a'), { spec: { maxReplicas: 4 } }, 'application/merge-patch+json');
    await ask(other, 'DELETE', path('v2', 'a'));
    const seen = await watched.events;
    expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    for (const { object } of seen)
      expect(object).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [CPU, MEMORY] } });
  });

  it('that do not say their version lie in the one that releases before stored', async () => {
    const { api } = usual;
    await ask(usual, 'POST', path('v2'), autoscaler('a'));
    await api.store.write({
      ...row(usual, 'a'),
      op: 'update',
      type: api.endpoint(HPA).type,
      storedVersion: '',
      terminating: false,
    });
    for (const server of [usual, other]) {
      expect((await ask(server, 'GET', path('v2', 'a'))).spec).toEqual(autoscaler('a').spec);
    }
  });

  it('of a version that nobody knows fail alone, with the reason', async () => {
    const { api, server } = usual;
    await ask(usual, 'POST', path('v2'), autoscaler('a'));
    const later = { op: 'update', type: api.endpoint(HPA).type, storedVersion: 'v3', terminating: false } as const;
    await api.store.write({ ...row(usual, 'a'), ...later });
    expect((await server.ask(path('v2', 'a'))).status).toBe(500);
    await ask(usual, 'POST', path('v2'), autoscaler('b'));
    expect((await ask(usual, 'GET', path('v2', 'b'))).spec).toEqual(autoscaler('b').spec);
  });
});

describe('--storage-versions', () => {
  it('says nothing of kinds that a version does not have', async () => {
    await ask(other, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' }, data: { a: '1' } });
    const { type } = other.api.endpoint('configmaps');
    expect(other.api.store.rows(type).map(({ storedVersion }) => storedVersion)).toEqual(['v1']);
  });

  it('refuses what is not declared', async () => {
    const { store, deps } = usual.api;
    await expect(buildEndpoints([], deps.scheme, store, ['autoscaling/v9'], STANDARD_SETTINGS)).rejects.toThrow(
      'nothing is known as autoscaling/v9',
    );
  });
});

/** The first so many events of a watch. */
function events({ server }: Running, at: string, count: number) {
  let opened: () => void;
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const seen = new Promise<{ type: string; object: ApiObject }[]>((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: server.port, path: at, agent: false }, (answer) => {
      let text = '';
      opened();
      answer.on('data', (chunk: Buffer) => {
        text += chunk;
        const lines = text.split('\n').slice(0, -1);
        if (lines.length < count) return;
        sent.destroy();
        resolve(lines.map((line) => JSON.parse(line)));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
  return { open, events: seen };
}

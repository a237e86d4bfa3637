import { request as httpRequest } from 'node:http';
import { decodeObject, decodeUnknown } from '@orch/codec';
import { type ApiObject, type JsonObject, namesOf } from '@orch/machinery';
import type { FeatureName } from '@orch/schema';
import type { Row } from '@orch/storage';
import { listenerOf, MemoryStore, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filledBody } from '../stored/stored-body.js';

const SETS = 'statefulsets';
const path = (name = '') => `/apis/apps/v1/namespaces/default/${SETS}${name && `/${name}`}`;
const META = namesOf('orch').metaGroup;
const BINARY = namesOf('orch').protobufMediaType;

interface Running {
  readonly api: TestApi;
  readonly server: TestServer;
}

async function start(store: MemoryStore, features: Partial<Record<FeatureName, boolean>> = {}): Promise<Running> {
  const api = await testApi({}, 'orch', store, {}, [], [], features);
  return { api, server: await openServer(listenerOf(api)) };
}

/** One server of today, and one with a feature that brings a default more; both at one database. */
let now: Running;
let later: Running;
beforeEach(async () => {
  const store = new MemoryStore();
  now = await start(store);
  later = await start(store.peer(), { MaxUnavailableStatefulSet: true });
});
afterEach(async () => {
  for (const { api, server } of [now, later]) {
    await server.close();
    api.close();
  }
});

const row = (name: string): Row =>
  now.api.store.rows(now.api.endpoint(SETS).type).find((each) => each.name === name) ?? expect.unreachable();

async function send({ server }: Running, method: string, at: string, body?: object, type = 'application/json') {
  const answer = await server.ask(at, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': type }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, value: JSON.parse(answer.body.toString()) };
}

async function ask(...of: Parameters<typeof send>) {
  const { status, value } = await send(...of);
  expect(status, JSON.stringify(value)).toBeLessThan(300);
  return value;
}

const set = (name: string): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name, labels: { app: name } },
  spec: {
    serviceName: 's',
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
});

/** What the objects of a server before lack: defaults of the object, below it, and one that stands under a condition. */
const strip = (object: ApiObject): ApiObject => {
  const spec = object.spec as JsonObject;
  const { podManagementPolicy, updateStrategy, persistentVolumeClaimRetentionPolicy, ...left } = spec;
  return { ...object, spec: left };
};
const LACKING = {
  podManagementPolicy: 'OrderedReady',
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
};
const LATER = {
  ...LACKING,
  updateStrategy: { ...LACKING.updateStrategy, rollingUpdate: { maxUnavailable: 1, partition: 0 } },
};

/** Creates an object and then lets it lie as a server before wrote it: without some defaults, and without a number. */
async function lying(name: string): Promise<Row> {
  await ask(now, 'POST', path(), set(name));
  const { defaults: _given, ...old } = row(name);
  const body = Buffer.from(JSON.stringify(strip(JSON.parse(old.body.toString()))));
  const type = now.api.endpoint(SETS).type;
  await now.api.store.write({ ...old, op: 'update', type, body, terminating: false });
  return row(name);
}

/** The first so many events of a watch that has begun. */
async function events({ server }: Running, query: string, count: number, accept = 'application/json') {
  let opened = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const seen = new Promise<{ type: string; object: ApiObject }[]>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: `${path()}?watch=1&${query}`, agent: false };
    const sent = httpRequest({ ...options, headers: { accept } }, (answer) => {
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
  await open;
  return { seen };
}

const specOf = (object: ApiObject) => object.spec as JsonObject;

describe('an object that was stored before some of its defaults', () => {
  it('has them in a get, in every encoding, as a table and as metadata alone', async () => {
    const { body } = await lying('a');
    expect(body.toString()).not.toContain('OrderedReady');
    for (const [server, wanted] of [
      [now, LACKING],
      [later, LATER],
    ] as const) {
      expect((await ask(server, 'GET', path('a'))).spec).toMatchObject(wanted);
      expect((await ask(server, 'GET', `${path('a')}?resourceVersion=0`)).spec).toMatchObject(wanted);
      const yaml = await server.server.ask(path('a'), { headers: { accept: 'application/yaml' } });
      expect(yaml.body.toString()).toContain('podManagementPolicy: OrderedReady');
      const { body: binary } = await server.server.ask(path('a'), { headers: { accept: BINARY } });
      const { raw } = decodeUnknown(binary);
      const schema = server.api.deps.scheme.struct('apps/v1.StatefulSet');
      expect(decodeObject(schema, raw).spec).toMatchObject(wanted);
      const table = await server.server.ask(`${path('a')}?includeObject=Object`, {
        headers: { accept: `application/json;as=Table;v=v1;g=${META}` },
      });
      expect(JSON.parse(table.body.toString()).rows[0].object.spec).toMatchObject(wanted);
      const partial = await server.server.ask(path('a'), {
        headers: { accept: `application/json;as=PartialObjectMetadata;v=v1;g=${META}` },
      });
      expect(JSON.parse(partial.body.toString()).metadata.name).toBe('a');
    }
  });

  it('has them in lists: now, from memory, at a version, and on the pages that follow', async () => {
    await lying('a');
    await ask(now, 'POST', path(), set('b'));
    await lying('c');
    const { resourceVersion } = (await ask(now, 'GET', path())).metadata;
    await ask(now, 'PATCH', path('a'), { metadata: { labels: { x: 'y' } } }, 'application/merge-patch+json');
    await lying('d');
    const exact = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    for (const [server, wanted] of [
      [now, LACKING],
      [later, LATER],
    ] as const) {
      for (const query of ['', 'resourceVersion=0', exact, 'pretty=1', 'labelSelector=app']) {
        const { items } = await ask(server, 'GET', `${path()}?${query}`);
        expect(items, query).toHaveLength(query === exact ? 3 : 4);
        for (const item of items) expect(item.spec, query).toMatchObject(wanted);
      }
      const first = await ask(server, 'GET', `${path()}?limit=1`);
      const next = await ask(server, 'GET', `${path()}?limit=9&continue=${first.metadata.continue}`);
      for (const item of [...first.items, ...next.items]) expect(item.spec).toMatchObject(wanted);
      expect(next.items).toHaveLength(3);
      const binary = await server.server.ask(path(), { headers: { accept: BINARY } });
      expect(binary.body.toString('latin1').split('OrderedReady')).toHaveLength(5);
    }
  });

  it('has them in watches: at their start, in history, and as they come', async () => {
    const start = (await ask(now, 'GET', path())).metadata.resourceVersion;
    await lying('a');
    for (const [server, wanted] of [
      [now, LACKING],
      [later, LATER],
    ] as const) {
      const initial = await events(server, 'resourceVersion=0', 1);
      const history = await events(server, `resourceVersion=${start}`, 2);
      for (const { object } of [...(await initial.seen), ...(await history.seen)])
        expect(specOf(object)).toMatchObject(wanted);
      const current = (await ask(server, 'GET', path())).metadata.resourceVersion;
      const live = await events(server, `resourceVersion=${current}`, 2);
      const table = await events(
        server,
        `resourceVersion=${current}&includeObject=Object`,
        1,
        `application/json;as=Table;v=v1;g=${META}`,
      );
      const name = server === now ? 'b' : 'c';
      await lying(name);
      const seen = await live.seen;
      // None of them because of a default.
      expect(seen.map(({ type, object }) => [type, object.metadata?.name])).toEqual([
        ['ADDED', name],
        ['MODIFIED', name],
      ]);
      for (const { object } of seen) expect(specOf(object)).toMatchObject(wanted);
      const [{ object: shown } = expect.unreachable()] = await table.seen;
      expect((shown as unknown as { rows: { object: ApiObject }[] }).rows[0]?.object.spec).toMatchObject(wanted);
      await now.api.store.write({ ...row(name), op: 'delete', type: now.api.endpoint(SETS).type });
    }
  });

  it('has them when it is deleted, for watchers and for who deletes it', async () => {
    await lying('a');
    const watched = await events(later, 'resourceVersion=0', 2);
    const { value } = await send(now, 'DELETE', `${path('a')}`);
    expect(value.status).toBe('Success');
    const [, gone] = await watched.seen;
    expect(gone).toMatchObject({ type: 'DELETED', object: { spec: LATER } });
  });

  it('gets them for good when it is marked as deleted', async () => {
    const { version, ...old } = await lying('a');
    const body = Buffer.from(
      old.body.toString().replace('{"metadata":{', '{"metadata":{"finalizers":["example.com/f"],'),
    );
    const { type, form } = now.api.endpoint(SETS);
    await now.api.store.write({ ...old, op: 'update', type, version, body, terminating: false });
    const marked = await ask(now, 'DELETE', path('a'));
    expect(marked.metadata.deletionTimestamp).toBeDefined();
    expect(marked.spec).toMatchObject(LACKING);
    expect(row('a').defaults).toBe(form.defaults);
    expect(JSON.parse(row('a').body.toString()).spec).toMatchObject(LACKING);
  });

  it('is selected by them', async () => {
    const { api, server } = now;
    const type = api.endpoint('namespaces').type;
    const body = Buffer.from('{"metadata":{"name":"bare","uid":"u"},"spec":{"finalizers":["orch"]}}');
    await api.store.write({ op: 'create', type, namespace: '', name: 'bare', uid: 'u', body, requireNamespace: false });
    for (const selector of [
      `labelSelector=${api.deps.names.key('orch.io/metadata.name')}=bare`,
      'fieldSelector=status.phase=Active',
    ]) {
      for (const query of ['', '&resourceVersion=0']) {
        const { items } = await ask({ api, server }, 'GET', `/api/v1/namespaces?${selector}${query}`);
        const names = items.map(({ metadata }: ApiObject) => metadata?.name);
        expect(names, selector + query).toContain('bare');
      }
    }
  });

  it('is changed with them, and nobody owns them for that', async () => {
    for (const [type, change] of [
      ['application/merge-patch+json', { metadata: { labels: { x: 'y' } } }],
      ['application/strategic-merge-patch+json', { metadata: { labels: { x: 'y' } } }],
      [
        'application/json-patch+json',
        [
          { op: 'test', path: '/spec/podManagementPolicy', value: 'OrderedReady' },
          { op: 'add', path: '/metadata/labels/x', value: 'y' },
        ],
      ],
      [
        'application/apply-patch+yaml',
        { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'a', labels: { x: 'y' } } },
      ],
    ] as const) {
      await lying('a');
      const patched = await ask(later, 'PATCH', `${path('a')}?fieldManager=other`, change, type);
      expect(patched.spec, type).toMatchObject(LATER);
      const owned = patched.metadata.managedFields.find(({ manager }: { manager: string }) => manager === 'other');
      expect(owned.fieldsV1, type).toEqual({ 'f:metadata': { 'f:labels': { 'f:x': {} } } });
      const { defaults, body } = row('a');
      expect(defaults).toBe(later.api.endpoint(SETS).form.defaults);
      expect(JSON.parse(body.toString()).spec).toMatchObject(LATER);
      await ask(now, 'DELETE', path('a'));
    }
  });

  it('is written anew by an update that changes nothing else, once', async () => {
    const { version } = await lying('a');
    const same = await ask(now, 'GET', path('a'));
    expect(same.metadata.resourceVersion).toBe(String(version));
    const written = await ask(now, 'PUT', path('a'), same);
    expect(BigInt(written.metadata.resourceVersion)).toBeGreaterThan(version);
    expect(row('a').defaults).toBe(now.api.endpoint(SETS).form.defaults);
    expect(specOf(written)).toEqual(same.spec);
    expect(written.metadata.generation).toBe(same.metadata.generation);
    const again = await ask(now, 'PUT', path('a'), written);
    expect(again.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  });

  it('is left alone by such an update when it lacks nothing, whatever its number', async () => {
    await ask(now, 'POST', path(), set('a'));
    const { defaults: _given, ...old } = row('a');
    await now.api.store.write({ ...old, op: 'update', type: now.api.endpoint(SETS).type, terminating: false });
    const same = await ask(now, 'GET', path('a'));
    expect((await ask(now, 'PUT', path('a'), same)).metadata.resourceVersion).toBe(same.metadata.resourceVersion);
    expect(row('a').defaults).toBe(0);
  });

  it('is given what a server with fewer defaults did not write', async () => {
    await ask(later, 'POST', path(), set('a'));
    expect((await ask(now, 'GET', path('a'))).spec).toMatchObject(LATER);
    await ask(now, 'POST', path(), set('b'));
    expect(row('b').body.toString()).not.toContain('maxUnavailable');
    expect((await ask(now, 'GET', path('b'))).spec.updateStrategy.rollingUpdate).toEqual({ partition: 0 });
    expect((await ask(later, 'GET', path('b'))).spec).toMatchObject(LATER);
    expect((await ask(later, 'GET', path())).items.map(specOf)).toMatchObject([LATER, LATER]);
  });
});

describe('an object that lacks no default', () => {
  it('is served as the bytes that are stored, and what is always written', async () => {
    await ask(now, 'POST', path(), set('a'));
    // Were it parsed and written, the space would be gone.
    const spaced = Buffer.from(row('a').body.toString().replace('"serviceName":', '"serviceName": '));
    const type = now.api.endpoint(SETS).type;
    await now.api.store.write({ ...row('a'), op: 'update', type, body: spaced, terminating: false });
    const [kept = '', added = ''] = spaced
      .toString()
      .slice('{"metadata":{'.length)
      .split('"labels":{"app":"a"}},"spec":{"containers"');
    const shown = [kept, added.slice(1, -'}]'.length).split('"imagePullPolicy":"IfNotPresent"')[0] ?? ''];
    const from = (await ask(now, 'GET', path())).metadata.resourceVersion;
    for (const at of [
      path('a'),
      path(),
      `${path()}?resourceVersion=0`,
      `${path()}?resourceVersion=${from}&resourceVersionMatch=Exact`,
    ]) {
      const { body } = await now.server.ask(at, { headers: { accept: 'application/json' } });
      for (const part of shown) expect(body.toString(), at).toContain(part);
      expect(body.toString(), at).toContain('"resources":{}');
    }
    const other = await later.server.ask(path('a'), { headers: { accept: 'application/json' } });
    expect(other.body.toString()).not.toContain(kept);
  });

  it('is served so too when its number is another, after one look', async () => {
    await ask(now, 'POST', path(), set('a'));
    const { form } = now.api.endpoint(SETS);
    const old = { ...row('a'), defaults: 0 };
    expect(filledBody(old, form)).toBe(old.body);
  });
});

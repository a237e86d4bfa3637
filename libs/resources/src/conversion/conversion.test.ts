import type { JsonObject } from '@orch/machinery';
import {
  type Asker,
  askOf,
  definitionOf,
  listenerOf,
  openServer,
  runNamespaceController,
  serveConverted,
  type TestApi,
  type TestServer,
  testApi,
  version,
} from '@orch/testing';
import { WebhookClients } from '@orch/webhooks';
import { ConversionServer, type Converted, convertedReview, type Review, say } from '@orch/webhooks/testing';
import { rewriteCollection } from '@orch/writing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../served/endpoint.js';
import type { ObservedConversion } from './conversion-webhook.js';
import type { RefusedObject } from './refused-objects.js';

const COUNT = { type: 'integer' };
const TEXT = { type: 'string' };
const schemaOf = (spec: object) => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { note: TEXT, ...spec } },
    status: { type: 'object', properties: { ready: COUNT } },
  },
});
const SUBRESOURCES = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.ready' },
};
const subresources = { subresources: SUBRESOURCES };
const V1 = version('v1', schemaOf({ size: COUNT, replicas: COUNT, kept: { ...TEXT, default: 'x' } }), subresources);
const SIZED = { type: 'object', properties: { size: COUNT } };
const V2 = version('v2', schemaOf({ dimension: SIZED, replicas: COUNT, kept: TEXT }), {
  storage: false,
  ...subresources,
});
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const at = (versionName: string, name = '', query = '') =>
  `/apis/example.test/${versionName}/namespaces/default/widgets${name && `/${name}`}${query && `?${query}`}`;
const v1 = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'example.test/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
});
const v2 = (name: string, spec: object = {}, metadata: object = {}) => ({
  ...v1(name, spec, metadata),
  apiVersion: 'example.test/v2',
});

let webhook: ConversionServer;
let clients: WebhookClients;
let api: TestApi;
let server: TestServer;
let observed: ObservedConversion[];
let refused: RefusedObject[];
beforeAll(async () => {
  webhook = await ConversionServer.start();
});
afterAll(() => webhook.close());
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  server = await openServer(listenerOf(api));
  clients = new WebhookClients({
    addressOf: async () => ({ host: '127.0.0.1', port: webhook.port }),
    maxAnswerBytes: 64 << 10,
  });
  webhook.recover();
  webhook.reviews.length = 0;
  observed = [];
  refused = [];
});
afterEach(async () => {
  await server.close();
  api.close();
  await clients.close();
});

const ask: Asker = (...asked) => askOf(server)(...asked);
const limits = {
  timeoutMs: 1000,
  maxObjects: 1000,
  maxBytes: 1 << 20,
  maxHeldBytes: 32 << 20,
  maxValues: 10_000,
  maxObjectBytes: 6 << 20,
};
const definition = (versions: readonly object[] = [V1, V2], conversion = webhook.conversion()): JsonObject =>
  definitionOf(versions, { conversion });
const serve = (one = definition(), bounds: Partial<typeof limits> = {}) =>
  serveConverted(
    api,
    {
      clients,
      limits: { ...limits, ...bounds },
      observe: (conversion) => observed.push(conversion),
      onRefused: (one) => refused.push(one),
    },
    one,
  );
const rows = () => {
  const [endpoint] = api.served.current.endpoints.filter(({ definition: each }) => each.resource === 'widgets');
  return api.store.rows(endpoint?.type ?? 0);
};
/** How many reviews were asked for since the last look. */
const calls = (): number => webhook.reviews.splice(0).length;
const create = async (...names: string[]) => {
  for (const name of names) expect((await ask('POST', at('v1'), v1(name, { size: 1 }))).status).toBe(201);
};
const failed = (
  message: unknown = expect.stringMatching(/^conversion webhook for example\.test\/v[12], Kind=Widget failed: /),
) => ({
  kind: 'Status',
  code: 500,
  reason: 'InternalError',
  message,
});

describe('reads in another version than the stored one', () => {
  it('ask once, for what lies in another version, and give it whole', async () => {
    await serve();
    await create('a');
    expect(calls()).toBe(0);
    const { status, body } = await ask('GET', at('v2', 'a'));
    expect([status, body.apiVersion, body.spec]).toEqual([
      200,
      'example.test/v2',
      { dimension: { size: 1 }, kept: 'x' },
    ]);
    expect(body.metadata).toMatchObject({ name: 'a', resourceVersion: expect.stringMatching(/^[1-9]/), generation: 1 });
    const [review] = webhook.reviews;
    expect(review).toMatchObject({ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' });
    expect(review?.request.desiredAPIVersion).toBe('example.test/v2');
    expect(review?.request.objects).toEqual([
      expect.objectContaining({ apiVersion: 'example.test/v1', kind: 'Widget', spec: { size: 1, kept: 'x' } }),
    ]);
    expect(review?.request.objects[0]?.metadata.resourceVersion).toBeUndefined();
    expect(calls()).toBe(1);
    expect((await ask('GET', at('v1', 'a'))).body.spec).toEqual({ size: 1, kept: 'x' });
    expect(calls()).toBe(0);
    expect(observed).toEqual([
      { definition: 'widgets.example.test', from: 'v1', to: 'v2', succeeded: true, took: expect.any(Number) },
    ]);
  });

  it('ask once for a list, from memory and from the database, in pages and as tables', async () => {
    await serve();
    await create('a', 'b', 'c');
    for (const query of ['', 'resourceVersion=0', 'limit=2']) {
      const { status, body } = await ask('GET', at('v2', '', query));
      expect([status, body.kind, body.apiVersion]).toEqual([200, 'WidgetList', 'example.test/v2']);
      const items = query === 'limit=2' ? 2 : 3;
      expect(body.items.map(({ spec }: Converted) => spec)).toEqual(
        Array.from({ length: items }, () => ({ dimension: { size: 1 }, kept: 'x' })),
      );
      expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([items]);
      expect(calls()).toBe(1);
    }
    const exact = (await ask('GET', at('v2', '', 'limit=2'))).body.metadata;
    expect((await ask('GET', at('v2', '', `limit=2&continue=${exact.continue}`))).body.items).toHaveLength(1);
    expect(calls()).toBe(2);
    const table = await ask('GET', at('v2'), undefined, undefined, 'application/json;as=Table;g=meta.k8s.io;v=v1');
    expect(table.body.rows).toHaveLength(3);
    expect(calls()).toBe(1);
    expect((await ask('GET', at('v1'))).body.items).toHaveLength(3);
    expect(calls()).toBe(0);
  });

  it('ask once for a list of what does not fit into memory, page by page', async () => {
    await server.close();
    api.close();
    api = await testApi({}, 'kubernetes', undefined, { maxCachedBytes: -1 });
    server = await openServer(listenerOf(api));
    await serve();
    await create('a', 'b', 'c');
    expect((await ask('GET', at('v2'))).body.items.map(({ spec }: Converted) => spec?.dimension)).toHaveLength(3);
    expect(calls()).toBe(1);
    const first = (await ask('GET', at('v2', '', 'limit=2'))).body;
    const second = (await ask('GET', at('v2', '', `limit=2&continue=${first.metadata.continue}`))).body;
    expect([...first.items, ...second.items].map(({ metadata }: Converted) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(calls()).toBe(2);
    const chosen = await ask('GET', at('v2', '', 'fieldSelector=metadata.name!=b&limit=1'));
    expect(chosen.body.items).toHaveLength(1);
    const rest = `fieldSelector=metadata.name!=b&limit=1&continue=${chosen.body.metadata.continue}`;
    expect((await ask('GET', at('v2', '', rest))).body.items.map(({ metadata }: Converted) => metadata.name)).toEqual([
      'c',
    ]);
    expect([...api.deps.cache.types()]).toEqual([]);
    webhook.fail();
    expect((await ask('GET', at('v2'))).body).toMatchObject(failed());
    // No place among the lists is kept by those that failed.
    for (let i = 0; i < 10; i++) await ask('GET', at('v2'));
    expect((await ask('GET', at('v1'))).status).toBe(200);
  });

  it('send nothing that lies in the version asked for, and keep its place', async () => {
    await serve();
    await create('b', 'd');
    // The storage version changes, and what is written from then on lies in the new one.
    await serve(
      definition([
        { ...V1, storage: false },
        { ...V2, storage: true },
      ]),
    );
    for (const name of ['a', 'c']) await ask('POST', at('v2'), v2(name, { dimension: { size: 2 } }));
    calls();
    const { body } = await ask('GET', at('v2'));
    expect(body.items.map(({ metadata }: Converted) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(body.items.map(({ spec }: Converted) => spec?.dimension)).toEqual([2, 1, 2, 1].map((size) => ({ size })));
    expect(webhook.reviews.map(({ request }) => request.objects.map(({ metadata }) => metadata.name))).toEqual([
      ['b', 'd'],
    ]);
  });

  it('divide what is more than one call may take', async () => {
    await serve(definition(), { maxObjects: 2 });
    await create('a', 'b', 'c', 'd', 'e');
    expect((await ask('GET', at('v2'))).body.items).toHaveLength(5);
    expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([2, 2, 1]);
  });

  it('answer with an error, not with a part, when a later call fails', async () => {
    await serve(definition(), { maxObjects: 1 });
    await create('a', 'b', 'c', 'd');
    // The first three are enough for an answer to begin.
    for (const name of ['a', 'b', 'c']) {
      const note = { spec: { note: 'x'.repeat(50_000) } };
      expect((await ask('PATCH', at('v1', name), note, MERGE)).status).toBe(200);
    }
    webhook.answer = (review, response) => {
      if (webhook.reviews.length > 3) response.writeHead(503).end('down');
      else say(response, convertedReview(review));
    };
    const { status, body } = await ask('GET', at('v2'));
    expect([status, body]).toEqual([500, expect.objectContaining(failed())]);
    expect(calls()).toBe(4);
  });

  it('select by the labels that the webhook makes', async () => {
    await serve();
    await create('a', 'b', 'c');
    webhook.answer = (review, response) =>
      say(
        response,
        convertedReview(review, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { odd: String(object.metadata.name !== 'b') } },
        })),
      );
    const names = ({ items }: { items: Converted[] }) => items.map(({ metadata }) => metadata.name);
    expect(names((await ask('GET', at('v2', '', 'labelSelector=odd=true'))).body)).toEqual(['a', 'c']);
    const { body } = await ask('GET', at('v2', '', 'labelSelector=odd=true&limit=1'));
    expect(names(body)).toEqual(['a']);
    const next = `labelSelector=odd=true&limit=1&continue=${body.metadata.continue}`;
    expect(names((await ask('GET', at('v2', '', next))).body)).toEqual(['c']);
    webhook.reviews.length = 0;
    expect(names((await ask('GET', at('v2', '', 'fieldSelector=metadata.name=b'))).body)).toEqual(['b']);
    expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([1]);
  });
});

describe('writes in another version than the stored one', () => {
  it('are stored in one, and answered in the other', async () => {
    await serve();
    const made = await ask('POST', at('v2'), v2('a', { dimension: { size: 7 }, note: 'n' }));
    expect([made.status, made.body.apiVersion, made.body.spec]).toEqual([
      201,
      'example.test/v2',
      { dimension: { size: 7 }, kept: 'x', note: 'n' },
    ]);
    const [row] = rows();
    expect([row?.storedVersion, JSON.parse(row?.body.toString() ?? '').spec]).toEqual(['v1', { size: 7, note: 'n' }]);
    const put = await ask('PUT', at('v2', 'a'), { ...made.body, spec: { dimension: { size: 8 } } });
    expect([put.status, put.body.spec, put.body.metadata.generation]).toEqual([
      200,
      { dimension: { size: 8 }, kept: 'x' },
      2,
    ]);
    const patched = await ask('PATCH', at('v2', 'a'), { spec: { dimension: { size: 9 } } }, MERGE);
    expect([patched.status, patched.body.spec]).toEqual([200, { dimension: { size: 9 }, kept: 'x' }]);
    expect((await ask('GET', at('v1', 'a'))).body.spec).toEqual({ size: 9, kept: 'x' });
    const before = rows()[0]?.version;
    const again = await ask('PATCH', at('v2', 'a'), { spec: { dimension: { size: 9 } } }, MERGE);
    expect([again.status, rows()[0]?.version]).toEqual([200, before]);
  });

  it('keep the owners of both versions', async () => {
    await serve();
    const apply = (versionName: string, manager: string, object: object, force = false) =>
      ask('PATCH', at(versionName, 'a', `fieldManager=${manager}&force=${force}`), object, APPLY);
    expect((await apply('v1', 'one', v1('a', { size: 1, note: 'mine' }))).status).toBe(201);
    expect((await apply('v2', 'two', v2('a', { dimension: { size: 2 } }))).body).toMatchObject({
      code: 409,
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.size' }] },
    });
    const taken = await apply('v2', 'two', v2('a', { dimension: { size: 2 } }), true);
    expect(taken.status).toBe(200);
    const owners = (taken.body.metadata.managedFields as Record<string, unknown>[]).map(
      ({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1],
    );
    expect(owners).toEqual([
      ['one', 'example.test/v1', { 'f:spec': { 'f:note': {} } }],
      ['two', 'example.test/v2', { 'f:spec': { 'f:dimension': { 'f:size': {} } } }],
    ]);
    const updated = await ask('PATCH', at('v2', 'a', 'fieldManager=three'), { spec: { note: 'other' } }, MERGE);
    expect(updated.body.metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toEqual([
      'two',
      'three',
    ]);
  });

  it('go through status and scale', async () => {
    await serve();
    await create('a');
    const status = await ask('PATCH', at('v2', 'a/status'), { status: { ready: 2 } }, MERGE);
    expect([status.status, status.body.status]).toEqual([200, { ready: 2 }]);
    const scaled = await ask('PATCH', at('v2', 'a/scale'), { spec: { replicas: 4 } }, MERGE);
    expect([scaled.status, scaled.body.spec, scaled.body.status.replicas]).toEqual([200, { replicas: 4 }, 2]);
    expect((await ask('GET', at('v2', 'a/scale'))).body.spec).toEqual({ replicas: 4 });
    expect((await ask('GET', at('v1', 'a'))).body).toMatchObject({
      spec: { size: 1, replicas: 4 },
      status: { ready: 2 },
    });
  });

  it('of a dry run write nothing', async () => {
    await serve();
    const { status, body } = await ask('POST', at('v2', '', 'dryRun=All'), v2('a', { dimension: { size: 7 } }));
    expect([status, body.spec.dimension, rows()]).toEqual([201, { size: 7 }, []]);
    await create('a');
    const [before] = rows();
    const patched = await ask('PATCH', at('v2', 'a', 'dryRun=All'), { spec: { dimension: { size: 9 } } }, MERGE);
    expect([patched.body.spec.dimension, rows()]).toEqual([{ size: 9 }, [before]]);
  });

  it('delete, and answer with what is kept', async () => {
    await serve();
    await create('a', 'c', 'd');
    await ask('POST', at('v1'), v1('b', { size: 1 }, { finalizers: ['example.test/wait'] }));
    expect((await ask('DELETE', at('v2', 'a'))).body).toMatchObject({ kind: 'Status', status: 'Success' });
    const marked = await ask('DELETE', at('v2', 'b'));
    expect(marked.body).toMatchObject({
      apiVersion: 'example.test/v2',
      metadata: { finalizers: ['example.test/wait'], deletionTimestamp: expect.any(String) },
      spec: { dimension: { size: 1 } },
    });
    const { version: at1 } = rows()[0] ?? {};
    expect((await ask('DELETE', at('v2', 'b'))).status).toBe(200);
    expect(rows().map(({ storedVersion, version: now }) => [storedVersion, now === at1])).toContainEqual(['v1', true]);
    calls();
    const all = await ask('DELETE', at('v2'));
    expect(all.body.items.map(({ spec }: Converted) => spec?.dimension)).toHaveLength(3);
    expect(rows().map(({ name }) => name)).toEqual(['b']);
    const freed = await ask('PATCH', at('v2', 'b'), { metadata: { finalizers: null } }, MERGE);
    expect([freed.status, rows()]).toEqual([200, []]);
  });
});

describe('a webhook that is down', () => {
  const requests: [string, string, string, unknown?, string?][] = [
    ['get', 'GET', at('v2', 'a')],
    ['list', 'GET', at('v2')],
    ['page', 'GET', at('v2', '', 'limit=1')],
    ['get scale', 'GET', at('v2', 'a/scale')],
    ['create', 'POST', at('v2'), v2('n', { dimension: { size: 1 } })],
    ['create dry', 'POST', at('v2', '', 'dryRun=All'), v2('n', {})],
    ['update', 'PUT', at('v2', 'a'), v2('a', {}, { resourceVersion: '1' })],
    ['patch', 'PATCH', at('v2', 'a'), { spec: { note: 'x' } }, MERGE],
    ['apply', 'PATCH', at('v2', 'a', 'fieldManager=m'), v2('a', { note: 'x' }), APPLY],
    ['apply that creates', 'PATCH', at('v2', 'n', 'fieldManager=m'), v2('n', { note: 'x' }), APPLY],
    ['status', 'PATCH', at('v2', 'a/status'), { status: { ready: 1 } }, MERGE],
    ['scale', 'PATCH', at('v2', 'a/scale'), { spec: { replicas: 1 } }, MERGE],
    ['delete', 'DELETE', at('v2', 'a')],
    ['delete a collection', 'DELETE', at('v2')],
  ];

  it.each(requests)(
    'fails %s in its version, and leaves everything as it was',
    async (_name, method, path, body, type) => {
      await serve();
      await create('a', 'b');
      const before = rows();
      webhook.fail();
      const answer = await ask(method, path, body, type);
      expect(answer.body).toMatchObject(failed());
      expect(rows()).toEqual(before);
      expect((await ask('GET', at('v1'))).body.items).toHaveLength(2);
      expect((await ask('PATCH', at('v1', 'a'), { spec: { note: 'here' } }, MERGE)).status).toBe(200);
      expect((await ask('POST', at('v1'), v1('c'))).status).toBe(201);
      expect((await ask('DELETE', at('v1', 'b'))).status).toBe(200);
    },
  );

  it('fails a write in the stored version that would lose owners of the other one', async () => {
    await serve();
    await ask('POST', at('v2', '', 'fieldManager=two'), v2('a', { dimension: { size: 7 } }));
    const before = rows();
    webhook.fail();
    expect((await ask('PATCH', at('v1', 'a'), { spec: { note: 'n' } }, MERGE)).body).toMatchObject(failed());
    expect(rows()).toEqual(before);
    webhook.recover();
    const { body } = await ask('PATCH', at('v1', 'a', 'fieldManager=one'), { spec: { note: 'n' } }, MERGE);
    expect(body.metadata.managedFields.map(({ manager }: { manager: string }) => manager).sort()).toEqual([
      'one',
      'two',
    ]);
  });

  it('keeps nobody from emptying a namespace', async () => {
    await serve(definition([{ ...V1, served: false }, V2]));
    await api.create('namespaces', { metadata: { name: 'going' } });
    const made = await ask('POST', at('v2').replace('default', 'going'), v2('a', { dimension: { size: 7 } }));
    expect(made.status).toBe(201);
    webhook.fail();
    expect((await ask('DELETE', '/api/v1/namespaces/going')).status).toBe(200);
    const controllers = await runNamespaceController(api);
    await expect.poll(rows).toEqual([]);
    await controllers.stop();
  });
});

describe('a webhook that does not convert', () => {
  const spoil =
    (more: object, rest: object = {}) =>
    (review: Review, response: Parameters<typeof say>[0]) => {
      const answer = convertedReview(review);
      say(response, { ...answer, response: { ...answer.response, ...more }, ...rest });
    };
  const each = (change: (object: Converted) => Converted) => (review: Review, response: Parameters<typeof say>[0]) =>
    say(response, convertedReview(review, change));
  const withMetadata = (more: object) => each((object) => ({ ...object, metadata: { ...object.metadata, ...more } }));
  const ONE = 'conversion webhook for example.test/v1, Kind=Widget';

  it.each<[string, NonNullable<ConversionServer['answer']>, string | RegExp]>([
    ['another uid', spoil({ uid: 'other' }), /failed: expected response\.uid="[-0-9a-f]{36}", got "other"$/],
    [
      'another kind of review',
      spoil({}, { kind: 'Other' }),
      `${ONE} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=Other`,
    ],
    ['too few objects', spoil({ convertedObjects: [] }), `${ONE} returned 0 objects, expected 1`],
    ['no response', spoil({}, { response: null }), `${ONE} failed: no response provided`],
    ['a failure', spoil({ result: { status: 'Failure', message: 'will not' } }), `${ONE} failed: will not`],
    [
      'a failure without words',
      spoil({ result: { status: 'Failure' } }),
      `${ONE} failed: response.result.status was 'Failure', not 'Success'`,
    ],
    [
      'another version',
      each((object) => ({ ...object, apiVersion: 'example.test/v3' })),
      `${ONE} returned invalid object at index 0: invalid groupVersion (expected example.test/v2, received example.test/v3)`,
    ],
    [
      'another name',
      withMetadata({ name: 'other' }),
      `${ONE} returned invalid object: must have the same name: a != other`,
    ],
    [
      'another object',
      withMetadata({ uid: 'other' }),
      /returned invalid object: must have the same UID: [-0-9a-f]{36} != other$/,
    ],
    [
      'labels that are none',
      withMetadata({ labels: { a: 1 } }),
      /returned invalid metadata: metadata\.labels\[a\] must be a string/,
    ],
    [
      'an object of very many values',
      each((object) => ({ ...object, spec: { note: Array.from({ length: 10_001 }, () => 0) } })),
      `${ONE} failed: the document holds more than 10000 values`,
    ],
    [
      'no JSON',
      (_review, response) => response.end('<html>'),
      /^conversion webhook for example\.test\/v1, Kind=Widget failed: /,
    ],
    [
      'a redirect to another server',
      (_review, response) => response.writeHead(307, { location: 'https://127.0.0.1:1/elsewhere' }).end(),
      /failed: Post "https:\/\/127\.0\.0\.1:\d+\/convert\?timeout=1s": /,
    ],
    ['an error', (_review, response) => response.writeHead(500).end('oops'), /failed: Post .*500/],
    [
      'too much',
      (_review, response) => response.end('x'.repeat(100_000)),
      /failed: Post .*exceeded|failed: Post .*size/,
    ],
    ['nothing at all', () => undefined, /failed: Post .*context deadline exceeded$/],
  ])('fails with %s', async (_name, answer, message) => {
    await serve();
    await create('a');
    webhook.answer = answer;
    const got = await ask('GET', at('v2', 'a'));
    expect(got.body).toMatchObject(failed(message instanceof RegExp ? expect.stringMatching(message) : message));
    expect(observed.at(-1)).toMatchObject({ succeeded: false });
    expect(webhook.reviews).toHaveLength(1);
  });

  it('tells of the item of a list that is wrong', async () => {
    await serve();
    await create('a', 'b', 'c');
    webhook.answer = each((object) => (object.metadata.name === 'b' ? { ...object, kind: 'Other' } : object));
    const reported = `${ONE} returned invalid converted object at index 2: invalid kind (expected Widget, received Other)`;
    expect((await ask('GET', at('v2'))).body).toMatchObject(failed(reported));
    expect(refused).toEqual([]);
    await ask('GET', at('v2', 'a'));
    await ask('GET', at('v2', 'b'));
    const lies = { definition: 'widgets.example.test', namespace: 'default', from: 'v1', to: 'v2' };
    expect(refused).toMatchObject([{ ...lies, name: 'b', message: expect.stringContaining('received Other') }]);
  });

  it('cannot change metadata but labels and annotations, nor say what the schema does not know', async () => {
    await serve();
    await create('a');
    webhook.answer = each((object) => ({
      ...object,
      metadata: { ...object.metadata, generation: 99, finalizers: ['x/y'], managedFields: [], annotations: { a: 'b' } },
      more: true,
    }));
    const { body } = await ask('GET', at('v2', 'a'));
    expect(body.metadata).toMatchObject({ generation: 1, annotations: { a: 'b' }, managedFields: [{}] });
    expect([body.metadata.finalizers, body.more]).toEqual([undefined, undefined]);
  });
});

describe('webhooks', () => {
  it('are not asked for more at a time than there is room for', async () => {
    await serve(definition(), { maxHeldBytes: 1, timeoutMs: 20_000 });
    await create('a', 'b');
    const held: (() => void)[] = [];
    webhook.answer = (review, response) => void held.push(() => say(response, convertedReview(review)));
    const asked = [ask('GET', at('v2', 'a')), ask('GET', at('v2', 'b'))];
    await expect.poll(() => held.length).toBe(1);
    // What needs no conversion goes past those who wait.
    expect((await ask('GET', at('v1', 'b'))).status).toBe(200);
    expect(held).toHaveLength(1);
    held.shift()?.();
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('bring objects to another stored version, all but those that they fail with', async () => {
    await serve();
    await create('a', 'b', 'c');
    const [, storage] = await serve(
      definition([
        { ...V1, storage: false },
        { ...V2, storage: true },
      ]),
    );
    const rewrite = async () => {
      const failures: unknown[] = [];
      const tools = { store: api.store, pipeline: api.deps.pipeline, turn: async () => undefined };
      await rewriteCollection(
        tools,
        storage as Endpoint,
        () => false,
        ({ error }) => void failures.push(error?.message),
      );
      return failures;
    };
    webhook.answer = (review, response) =>
      review.request.objects[0]?.metadata.name === 'b'
        ? response.writeHead(500).end()
        : say(response, convertedReview(review));
    const owners = rows().map(({ name, body }) => [name, JSON.parse(body.toString()).metadata.managedFields]);
    expect((await rewrite()).filter((failure) => failure !== undefined)).toEqual([
      expect.stringContaining('failed: Post'),
    ]);
    expect(rows().map(({ name, storedVersion }) => [name, storedVersion])).toEqual([
      ['a', 'v2'],
      ['b', 'v1'],
      ['c', 'v2'],
    ]);
    webhook.recover();
    expect(await rewrite()).toEqual([undefined]);
    expect(rows().map(({ storedVersion, body }) => [storedVersion, JSON.parse(body.toString()).spec])).toEqual(
      ['a', 'b', 'c'].map(() => ['v2', { dimension: { size: 1 }, kept: 'x' }]),
    );
    expect(rows().map(({ name, body }) => [name, JSON.parse(body.toString()).metadata.managedFields])).toEqual(owners);
    calls();
    expect((await ask('GET', at('v2'))).body.items).toHaveLength(3);
    expect(calls()).toBe(0);
  });

  it('of several definitions are each asked for their own, over connections that are kept', async () => {
    const before = webhook.connections;
    await serve();
    await create('a');
    for (let i = 0; i < 5; i++) expect((await ask('GET', at('v2', 'a'))).status).toBe(200);
    expect(webhook.connections - before).toBe(1);
    const other = await ConversionServer.start();
    try {
      await serve(definition([V1, V2], other.conversion()));
      expect((await ask('GET', at('v2', 'a'))).status).toBe(200);
      expect([calls(), other.reviews.length]).toEqual([5, 1]);
    } finally {
      await other.close();
    }
  });

  it('behind a service are asked there, and must bear its name', async () => {
    const clientConfig = { service: { namespace: 'default', name: 'hooks', port: 443 }, caBundle: webhook.caBundle };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    await serve(definition([V1, V2], conversion));
    await create('a');
    expect((await ask('GET', at('v2', 'a'))).status).toBe(200);
  });

  it('of a bundle that did not sign for them are not believed', async () => {
    const clientConfig = { url: `https://127.0.0.1:${webhook.port}/convert` };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    await serve(definition([V1, V2], conversion));
    await create('a');
    expect((await ask('GET', at('v2', 'a'))).body).toMatchObject(failed(expect.stringContaining('certificate')));
    expect(calls()).toBe(0);
  });
});

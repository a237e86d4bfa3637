import type { JsonObject } from '@orch/machinery';
import { KeptConversions } from '@orch/resources';
import {
  type Asker,
  askOf,
  definitionOf,
  listenerOf,
  openServer,
  serveConverted,
  type TestApi,
  type TestServer,
  testApi,
  version,
} from '@orch/testing';
import { WebhookClients } from '@orch/webhooks';
import { ConversionServer, type Converted, convertedReview, say } from '@orch/webhooks/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const COUNT = { type: 'integer' };
const schemaOf = (spec: object) => ({ type: 'object', properties: { spec: { type: 'object', properties: spec } } });
const V1 = version('v1', schemaOf({ size: COUNT }));
const V2 = version('v2', schemaOf({ dimension: { type: 'object', properties: { size: COUNT } } }), { storage: false });
const at = (versionName: string, name = '', query = '') =>
  `/apis/example.test/${versionName}/namespaces/default/widgets${name && `/${name}`}${query && `?${query}`}`;
const POLL = { timeout: 10_000, interval: 5 };

let webhook: ConversionServer;
let clients: WebhookClients;
let api: TestApi;
let server: TestServer;
let kept: KeptConversions;
beforeAll(async () => {
  webhook = await ConversionServer.start();
});
afterAll(() => webhook.close());
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  server = await openServer(listenerOf(api));
  clients = new WebhookClients({ addressOf: async () => ({ host: '127.0.0.1', port: webhook.port }) });
  kept = new KeptConversions(1 << 20);
  webhook.recover();
  webhook.reviews.length = 0;
});
afterEach(async () => {
  await server.close();
  api.close();
  await clients.close();
});

const ask: Asker = (...asked) => askOf(server)(...asked);
const limits = {
  ...{ timeoutMs: 1000, maxObjects: 1000, maxBytes: 1 << 20, maxHeldBytes: 32 << 20 },
  ...{ maxValues: 70_000, maxObjectBytes: 6 << 20 },
};
const definition = (versions: readonly object[] = [V1, V2]): JsonObject =>
  definitionOf(versions, { conversion: webhook.conversion() });
const serve = (one = definition(), bounds: Partial<typeof limits> = {}) =>
  serveConverted(api, { clients, limits: { ...limits, ...bounds }, kept }, one);
const create = async (...names: string[]): Promise<void> => {
  for (const name of names) {
    const object = { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } };
    expect((await ask('POST', at('v1'), object)).status).toBe(201);
  }
};
const resize = (name: string, size: number) =>
  ask('PATCH', at('v1', name), { spec: { size } }, 'application/merge-patch+json');
/** Names that were asked for since the last look, a list for each call. */
const asked = () =>
  webhook.reviews.splice(0).map(({ request }) => request.objects.map(({ metadata }) => metadata.name));
/** `name size`, one an object. */
const listed = async (query = ''): Promise<string[]> => {
  const { status, body } = await ask('GET', at('v2', '', query));
  expect(status).toBe(200);
  const sizeOf = ({ spec = {} }: Converted) => (spec.dimension as { size: number }).size;
  return body.items.map((object: Converted) => `${object.metadata.name} ${sizeOf(object)}`);
};

describe('lists of a converted version', () => {
  it('ask for what has changed since the list before, and for nothing else', async () => {
    await serve();
    await create('a', 'b', 'c');
    expect(await listed()).toEqual(['a 1', 'b 1', 'c 1']);
    expect(asked()).toEqual([['a', 'b', 'c']]);
    await resize('b', 2);
    for (const query of ['resourceVersion=0', '', 'limit=5'])
      expect(await listed(query)).toEqual(['a 1', 'b 2', 'c 1']);
    expect(asked()).toEqual([['b']]);
    // A get is asked for as ever.
    expect((await ask('GET', at('v2', 'a'))).status).toBe(200);
    expect(asked()).toEqual([['a']]);
    expect((await ask('DELETE', at('v1', 'a'))).status).toBe(200);
    await create('a');
    expect(await listed()).toEqual(['a 1', 'b 2', 'c 1']);
    expect(asked()).toEqual([['a']]);
  });

  it('ask for nothing that a watch has had converted, in pages and with selectors either', async () => {
    kept = new KeptConversions(0);
    await serve();
    await create('a', 'b');
    webhook.answer = (review, response) =>
      say(
        response,
        convertedReview(review, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { odd: String(object.metadata.name !== 'b') } },
        })),
      );
    const stop = await server.ask(at('v2', '', 'watch=true&timeoutSeconds=1'));
    expect(stop.status).toBe(200);
    asked();
    for (const query of ['', 'resourceVersion=0', 'limit=2']) expect(await listed(query)).toEqual(['a 1', 'b 1']);
    expect(await listed('labelSelector=odd=true')).toEqual(['a 1']);
    expect(await listed('labelSelector=odd=true&limit=1')).toEqual(['a 1']);
    const { body } = await ask('GET', at('v2', '', 'limit=1'));
    expect(body.items).toHaveLength(1);
    expect(await listed(`limit=1&continue=${body.metadata.continue}`)).toEqual(['b 1']);
    expect(asked()).toEqual([]);
    await resize('b', 3);
    await expect.poll(() => listed(), POLL).toEqual(['a 1', 'b 3']);
    await expect
      .poll(async () => {
        asked();
        await listed();
        return asked();
      }, POLL)
      .toEqual([]);
  });

  it('never show what another definition has made', async () => {
    await serve();
    await create('a');
    expect(await listed()).toEqual(['a 1']);
    asked();
    // Another schema: what the webhook makes is pruned otherwise.
    await serve(definition([V1, { ...V2, schema: { openAPIV3Schema: schemaOf({ other: COUNT }) } }]));
    const { body } = await ask('GET', at('v2'));
    expect([body.items[0].spec, asked()]).toEqual([{}, [['a']]]);
    const other = await ConversionServer.start();
    try {
      await serve(definitionOf([V1, V2], { conversion: other.conversion() }));
      expect([await listed(), other.reviews.length, asked()]).toEqual([['a 1'], 1, []]);
    } finally {
      await other.close();
    }
  });

  it('keep no more than they may, and the results of what was listed last', async () => {
    kept = new KeptConversions(3_000);
    await serve();
    await create(...Array.from({ length: 20 }, (_, i) => `o${String(i).padStart(2, '0')}`));
    expect(await listed()).toHaveLength(20);
    asked();
    expect(kept.bytes).toBeLessThanOrEqual(3_000);
    expect(await listed('fieldSelector=metadata.name=o19')).toHaveLength(1);
    expect(asked()).toEqual([]);
    expect(await listed('fieldSelector=metadata.name=o00')).toHaveLength(1);
    expect(asked()).toEqual([['o00']]);
  });

  it('have two calls under way at a time, and keep their order', async () => {
    await serve(definition(), { maxObjects: 2 });
    await create('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const answers: (() => void)[] = [];
    webhook.answer = (review, response) => void answers.push(() => say(response, convertedReview(review)));
    const list = listed();
    await expect.poll(() => webhook.reviews.length, POLL).toBe(2);
    // The later one is answered first.
    answers.pop()?.();
    answers.pop()?.();
    await expect.poll(() => webhook.reviews.length, POLL).toBe(4);
    for (const answer of answers) answer();
    expect((await list).map((each) => each[0]).join('')).toBe('abcdefg');
  });
});

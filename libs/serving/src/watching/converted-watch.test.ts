import { type IncomingMessage, get as request, type ServerResponse } from 'node:http';
import type { JsonObject } from '@orch/machinery';
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
/** `CONVERSION_SEEDS=1,2,3` for others. */
const SEEDS = (process.env.CONVERSION_SEEDS ?? '20261123,20261124').split(',').map(Number);
const POLL = { timeout: 10_000, interval: 5 };

let webhook: ConversionServer;
let clients: WebhookClients;
let api: TestApi;
let server: TestServer;
let streams: Stream[];
beforeAll(async () => {
  webhook = await ConversionServer.start();
});
afterAll(() => webhook.close());
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  server = await openServer(listenerOf(api));
  clients = new WebhookClients({ addressOf: async () => ({ host: '127.0.0.1', port: webhook.port }) });
  streams = [];
  webhook.recover();
  webhook.reviews.length = 0;
});
afterEach(async () => {
  for (const stream of streams) stream.close();
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
  maxValues: 70_000,
  maxObjectBytes: 6 << 20,
};
const definition = (conversion = webhook.conversion()): JsonObject => definitionOf([V1, V2], { conversion });
const serve = (one = definition()) => serveConverted(api, { clients, limits }, one);
const create = async (name: string, size = 1): Promise<string> => {
  const object = { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name }, spec: { size } };
  const { status, body } = await ask('POST', at('v1'), object);
  expect(status).toBe(201);
  return body.metadata.resourceVersion;
};
const resize = async (name: string, size: number): Promise<string> =>
  (await ask('PATCH', at('v1', name), { spec: { size } }, 'application/merge-patch+json')).body.metadata
    .resourceVersion;

/** Numbers from 0 to below 1, the same ones for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Event {
  readonly type: string;
  readonly object: Converted;
}

/** A watch that goes on. */
class Stream {
  readonly events: Event[] = [];
  ended = false;
  #text = '';

  constructor(
    readonly status: number,
    private readonly message: IncomingMessage,
  ) {
    message.setEncoding('utf8');
    message.on('data', (text: string) => {
      const lines = (this.#text + text).split('\n');
      this.#text = lines.pop() ?? '';
      this.events.push(...lines.map((line) => JSON.parse(line) as Event));
    });
    message.on('error', () => undefined);
    message.on('close', () => {
      this.ended = true;
    });
  }

  /** `TYPE name size`, one an event. */
  get summary(): string[] {
    return this.events.map(({ type, object: { metadata, spec } }) => {
      const { dimension, size } = (spec ?? {}) as { dimension?: { size?: number }; size?: number };
      return `${type} ${metadata.name} ${dimension?.size ?? `v1:${size}`}`;
    });
  }

  get text(): string {
    return this.#text;
  }

  close(): void {
    this.message.destroy();
  }
}

const watch = (path: string): Promise<Stream> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, agent: false }, (message) => {
      const stream = new Stream(message.statusCode ?? 0, message);
      streams.push(stream);
      resolve(stream);
    }).on('error', reject);
  });

describe('watches of another version than the stored one', () => {
  it('have the state and every change in their version, and select by what the webhook makes', async () => {
    await serve();
    await create('a');
    await create('b');
    const late = await watch(at('v2', '', 'watch=true'));
    await expect.poll(() => late.summary, POLL).toEqual(['ADDED a 1', 'ADDED b 1']);
    // The state was asked for with one call, whoever watches.
    expect(webhook.reviews.map(({ request: { objects } }) => objects.length)).toEqual([2]);
    const stored = await watch(at('v1', '', 'watch=true'));
    await create('c', 3);
    await resize('a', 7);
    expect((await ask('DELETE', at('v1', 'b'))).status).toBe(200);
    const changes = ['ADDED c 3', 'MODIFIED a 7', 'DELETED b 1'];
    await expect.poll(() => late.summary.slice(2), POLL).toEqual(changes);
    expect(late.events.every(({ object }) => object.apiVersion === 'example.test/v2')).toBe(true);
    await expect.poll(() => stored.summary.slice(2), POLL).toEqual(changes.map((text) => text.replace(/\d$/, 'v1:$&')));
    const labelled = (name: string) => ({ odd: String(name !== 'b') });
    webhook.answer = (review, response) =>
      say(
        response,
        convertedReview(review, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: labelled(String(object.metadata.name)) },
        })),
      );
    const chosen = await watch(at('v2', '', `watch=true&labelSelector=odd=false&resourceVersion=${await create('d')}`));
    await create('b', 9);
    await create('e');
    await expect.poll(() => chosen.summary, POLL).toEqual(['ADDED b 9']);
  });

  it('wait while the webhook is down, and go on without loss; those of the stored version do not notice', async () => {
    await serve();
    await create('a');
    const late = await watch(at('v2', '', 'watch=true'));
    const stored = await watch(at('v1', '', 'watch=true'));
    await expect.poll(() => [late.events.length, stored.events.length], POLL).toEqual([1, 1]);
    webhook.fail();
    const from = await create('b');
    await resize('a', 2);
    await resize('a', 3);
    await create('c');
    expect((await ask('DELETE', at('v1', 'b'))).status).toBe(200);
    await expect.poll(() => stored.events.length, POLL).toBe(6);
    // It has been asked, and asked again, and said no each time.
    webhook.reviews.length = 0;
    await expect.poll(() => webhook.reviews.length, POLL).toBeGreaterThan(1);
    expect([late.events.length, late.ended]).toEqual([1, false]);
    webhook.recover();
    const missed = ['MODIFIED a 2', 'MODIFIED a 3', 'ADDED c 1', 'DELETED b 1'];
    await expect.poll(() => late.summary.slice(1), POLL).toEqual(['ADDED b 1', ...missed]);
    // Who was away meanwhile has it all from where it was.
    const back = await watch(at('v2', '', `watch=true&resourceVersion=${from}`));
    await expect.poll(() => back.summary, POLL).toEqual(missed);
    const versions = (stream: Stream) => stream.events.map(({ object }) => object.metadata.resourceVersion);
    expect(versions(late)).toEqual(versions(stored));
  });

  it.each(SEEDS)(
    'see what those of the stored version see, whatever becomes of the webhook (seed %i)',
    async (seed) => {
      const random = randomOf(seed);
      await serve();
      const late = await watch(at('v2', '', 'watch=true'));
      const stored = await watch(at('v1', '', 'watch=true'));
      let resumed: { stream: Stream; after: string } | undefined;
      const statuses = new Set<number>();
      const merge = 'application/merge-patch+json';
      for (let step = 0; step < 150; step++) {
        if (random() < 0.1) webhook.fail();
        if (random() < 0.1) webhook.recover();
        const [name, size] = [`w${Math.floor(random() * 5)}`, step];
        const versionName = random() < 0.5 ? 'v1' : 'v2';
        const spec = versionName === 'v1' ? { size } : { dimension: { size } };
        const object = { apiVersion: `example.test/${versionName}`, kind: 'Widget', metadata: { name }, spec };
        const [creates, patch] = [random() < 0.4, random() < 0.7];
        const { status, body } = creates
          ? await ask('POST', at(versionName), object)
          : patch
            ? await ask('PATCH', at(versionName, name), { spec }, merge)
            : await ask('DELETE', at(versionName, name));
        statuses.add(status);
        const after = body.metadata?.resourceVersion;
        if (!resumed && step > 50 && status === 200 && !creates && patch && after) {
          // A state that is in memory already can be gone on from, also while nothing can be converted.
          resumed = { stream: await watch(at('v2', '', `watch=true&resourceVersion=${after}`)), after };
        }
      }
      webhook.recover();
      const seen = (stream: Stream) =>
        stream.events.map(({ type, object: { metadata, spec } }) => {
          const { dimension, size } = spec as { dimension?: { size: number }; size?: number };
          return `${type} ${metadata.name} ${metadata.resourceVersion} ${dimension?.size ?? size}`;
        });
      // The last change that everybody waits for.
      const last = await create('last');
      const has = (stream: Stream) => seen(stream).some((each) => each.includes(` ${last} `));
      await expect
        .poll(() => [late, stored, resumed?.stream].map((stream) => stream && has(stream)), POLL)
        .toEqual([true, true, true]);
      expect([...statuses], `seed ${seed}`).toEqual(expect.arrayContaining([200, 201, 500]));
      expect(seen(late), `seed ${seed}`).toEqual(seen(stored));
      const from = seen(stored).findIndex((each) => each.includes(` ${resumed?.after} `));
      expect(seen(resumed?.stream as Stream), `seed ${seed}`).toEqual(seen(stored).slice(from + 1));
    },
    60_000,
  );

  it('that would begin while the webhook is down are told why they cannot', async () => {
    await serve();
    await create('a');
    webhook.fail();
    const answer = await ask('GET', at('v2', '', 'watch=true&timeoutSeconds=20'));
    expect(answer.body).toMatchObject({
      code: 500,
      message: expect.stringMatching(/^conversion webhook for example\.test\/v1, Kind=Widget failed: /),
    });
    webhook.recover();
    const late = await watch(at('v2', '', 'watch=true'));
    await expect.poll(() => late.summary, POLL).toEqual(['ADDED a 1']);
  }, 20_000);

  it('end with the definition that they began with, whose webhook is asked no more', async () => {
    await serve();
    await create('a');
    const late = await watch(at('v2', '', 'watch=true'));
    await expect.poll(() => late.summary, POLL).toEqual(['ADDED a 1']);
    const other = await ConversionServer.start();
    try {
      await serve(definition(other.conversion()));
      await expect.poll(() => late.ended, POLL).toBe(true);
      const anew = await watch(at('v2', '', 'watch=true'));
      await expect.poll(() => anew.summary, POLL).toEqual(['ADDED a 1']);
      expect(other.reviews).toHaveLength(1);
      // What the one before has made is let go of at the next look.
      await expect.poll(() => [...api.deps.cache.types()].filter(({ watchers }) => watchers > 0).length, POLL).toBe(1);
    } finally {
      await other.close();
    }
  });
});

/** What the webhook says of objects of a name, alone or among others, until it is told otherwise. */
function refuse(...names: string[]): void {
  webhook.answer = (review, response) => {
    const bad = review.request.objects.find(({ metadata }) => names.includes(String(metadata.name)));
    if (!bad) return say(response, convertedReview(review));
    const answer = convertedReview(review);
    answer.response.result = { status: 'Failure', message: `${bad.metadata.name} is not to be had` };
    return say(response, answer);
  };
}

describe('an object that the webhook refuses', () => {
  const REFUSAL = {
    code: 500,
    reason: 'InternalError',
    message: 'conversion webhook for example.test/v1, Kind=Widget failed: bad is not to be had',
  };
  const everywhere = (query: string) => `/apis/example.test/v2/widgets?watch=true&${query}`;
  const inOther = (name = '') => at('v1', name).replace('/default/', '/other/');
  const createIn = async (path: string, name: string, size: number, labels?: object): Promise<string> => {
    const object = { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name, labels }, spec: { size } };
    const { status, body } = await ask('POST', path, object);
    expect(status).toBe(201);
    return body.metadata.resourceVersion;
  };
  beforeEach(async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } };
    await ask('POST', '/api/v1/namespaces', namespace);
  });

  it('ends the streams that would see it with its error, behind what came before, and no others', async () => {
    await serve();
    await create('a');
    const all = await watch(everywhere(''));
    const mine = await watch(at('v2', '', 'watch=true'));
    const other = await watch(`${inOther().replace('/v1/', '/v2/')}?watch=true&allowWatchBookmarks=true`);
    const named = await watch(at('v2', '', 'watch=true&fieldSelector=metadata.name=a'));
    const labelled = await watch(at('v2', '', 'watch=true&labelSelector=odd=true'));
    await expect.poll(() => [all, mine, named].map(({ events }) => events.length), POLL).toEqual([1, 1, 1]);
    refuse('bad');
    await create('b');
    await create('bad');
    await create('c');
    await createIn(inOther(), 'o', 4);
    for (const stream of [all, mine, labelled]) await expect.poll(() => stream.ended, POLL).toBe(true);
    for (const stream of [all, mine]) {
      expect(stream.summary.slice(0, 2)).toEqual(['ADDED a 1', 'ADDED b 1']);
      expect(stream.events.slice(2)).toEqual([{ type: 'ERROR', object: expect.objectContaining(REFUSAL) }]);
    }
    expect(labelled.events).toEqual([{ type: 'ERROR', object: expect.objectContaining(REFUSAL) }]);
    await expect.poll(() => other.summary, POLL).toEqual(['ADDED o 4']);
    await resize('a', 2);
    await expect.poll(() => named.summary, POLL).toEqual(['ADDED a 1', 'MODIFIED a 2']);
    expect([other.ended, named.ended]).toEqual([false, false]);
  });

  it('is in no list of others, and fails those that hold it; states and histories likewise', async () => {
    await serve();
    await create('a');
    const from = await create('b');
    refuse('bad');
    await createIn(at('v1'), 'bad', 1, { odd: 'true' });
    await create('c');
    await createIn(inOther(), 'o', 4);
    // The first watch of the version: its state is read with the object in it.
    const other = await watch(`${inOther().replace('/v1/', '/v2/')}?watch=true`);
    await expect.poll(() => other.summary, POLL).toEqual(['ADDED o 4']);
    const state = await watch(at('v2', '', 'watch=true'));
    await expect.poll(() => state.ended, POLL).toBe(true);
    expect(state.summary.slice(0, 2)).toEqual(['ADDED a 1', 'ADDED b 1']);
    expect(state.events.slice(2)).toEqual([{ type: 'ERROR', object: expect.objectContaining(REFUSAL) }]);
    const resumed = await watch(at('v2', '', `watch=true&resourceVersion=${from}`));
    await expect
      .poll(() => resumed.events, POLL)
      .toEqual([{ type: 'ERROR', object: expect.objectContaining(REFUSAL) }]);
    expect((await ask('GET', at('v2'))).body).toMatchObject(REFUSAL);
    expect((await ask('GET', '/apis/example.test/v2/widgets?labelSelector=odd=false')).body).toMatchObject(REFUSAL);
    expect((await ask('GET', inOther().replace('/v1/', '/v2/'))).body.items).toHaveLength(1);
    expect((await ask('GET', at('v2', '', 'fieldSelector=metadata.name=a'))).body.items).toHaveLength(1);
    expect((await ask('GET', at('v1'))).body.items).toHaveLength(4);
    const alone = await watch(at('v2', '', 'watch=true&fieldSelector=metadata.name=c'));
    await expect.poll(() => alone.summary, POLL).toEqual(['ADDED c 1']);
  });

  it('is asked for anew, and there once the webhook takes it', async () => {
    await serve();
    const from = await create('a');
    const other = await watch(`${inOther().replace('/v1/', '/v2/')}?watch=true`);
    await createIn(inOther(), 'o', 4);
    await expect.poll(() => other.summary, POLL).toEqual(['ADDED o 4']);
    refuse('bad', 'worse');
    await create('bad');
    await create('worse');
    const failed = await watch(at('v2', '', 'watch=true'));
    await expect.poll(() => failed.ended, POLL).toBe(true);
    webhook.recover();
    // Nobody has written it anew.
    await expect
      .poll(async () => {
        const anew = await watch(at('v2', '', 'watch=true'));
        await expect.poll(() => anew.events.length, POLL).toBeGreaterThan(1);
        return anew.summary;
      }, POLL)
      .toEqual(['ADDED a 1', 'ADDED bad 1', 'ADDED worse 1']);
    const resumed = await watch(at('v2', '', `watch=true&resourceVersion=${from}`));
    await expect.poll(() => resumed.summary, POLL).toEqual(['ADDED bad 1', 'ADDED worse 1']);
    expect([other.ended, other.summary]).toEqual([false, ['ADDED o 4']]);
  }, 20_000);

  it.each<[string, (response: ServerResponse) => void]>([
    ['breaks the connection', (response) => response.destroy()],
    ['answers with an error of its own', (response) => response.writeHead(500).end('panic')],
  ])(
    'may be one that it fails upon: it %s, and answers for others',
    async (_how, fail) => {
      await serve();
      await create('a');
      const all = await watch(at('v2', '', 'watch=true'));
      const other = await watch(`${inOther().replace('/v1/', '/v2/')}?watch=true`);
      await expect.poll(() => all.events.length, POLL).toBe(1);
      webhook.answer = (review, response) => {
        const isBad = review.request.objects.some(({ metadata }) => String(metadata.name).startsWith('bad'));
        if (isBad) fail(response);
        else say(response, convertedReview(review));
      };
      for (const name of ['bad1', 'b', 'bad2']) await create(name);
      await createIn(inOther(), 'o', 4);
      await expect.poll(() => other.summary, POLL).toEqual(['ADDED o 4']);
      const error = { type: 'ERROR', object: expect.objectContaining({ code: 500, reason: 'InternalError' }) };
      await expect.poll(() => all.events.slice(1), POLL).toEqual([error]);
      await createIn(inOther(), 'p', 5);
      await expect.poll(() => other.summary, POLL).toEqual(['ADDED o 4', 'ADDED p 5']);
      webhook.recover();
      await expect.poll(async () => (await ask('GET', at('v2'))).body.items?.length, POLL).toBe(4);
      expect(other.ended).toBe(false);
    },
    30_000,
  );

  it('is heard of no more when it was deleted, or changed to what the webhook takes', async () => {
    await serve();
    await create('a');
    const other = await watch(`${inOther().replace('/v1/', '/v2/')}?watch=true`);
    await createIn(inOther(), 'o', 4);
    await expect.poll(() => other.events.length, POLL).toBe(1);
    refuse('bad', 'worse');
    await create('bad');
    await create('worse');
    expect((await ask('DELETE', at('v1', 'bad'))).status).toBe(200);
    refuse();
    await resize('worse', 8);
    const anew = await watch(at('v2', '', 'watch=true'));
    await expect.poll(() => anew.summary, POLL).toEqual(['ADDED a 1', 'ADDED worse 8']);
    expect(other.ended).toBe(false);
  });
});

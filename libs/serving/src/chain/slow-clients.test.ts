import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Aggregator } from '@orch/aggregation';
import { type Authenticator, authenticated } from '@orch/authentication';
import { ALLOW, NO_OPINION } from '@orch/authorization';
import { boundedTurns } from '@orch/fairness';
import { Metrics } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { SharedBound } from '@orch/runtime/work';
import {
  type ListenOverrides,
  listenerOf,
  openSecureServer,
  openServer,
  type TestApi,
  type TestServer,
  TOKEN,
  testApi,
} from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestContext } from '../http/context.js';
import { type SlowClientLimits, SlowClients } from './slow-clients.js';
import type { Turns } from './turns.js';

const NONE = { inAll: 0, perUser: 0 };
const clientsOf = (clock: ManualClock, limits: Partial<SlowClientLimits> = {}) =>
  new SlowClients({ bodies: NONE, answers: NONE, answerBytes: NONE, ...limits }, clock);
const CHECK_MS = 100;

describe('a seat', () => {
  function seated(slow: SlowClients, user = 'jane') {
    const request = { bytes: undefined as number | undefined, given: 0, cut: 0 };
    const end = slow.follow({
      user,
      waiting: () => request.bytes,
      giveBack: () => void request.given++,
      cut: () => void request.cut++,
    });
    return { request, end };
  }

  it('is given back at the second look at which its request waits for nothing but its client', () => {
    const clock = new ManualClock();
    const slow = clientsOf(clock);
    const { request } = seated(slow);
    clock.advanceNow(10 * CHECK_MS);
    request.bytes = 5;
    clock.advanceNow(CHECK_MS);
    request.bytes = undefined;
    clock.advanceNow(CHECK_MS);
    request.bytes = 7;
    clock.advanceNow(CHECK_MS);
    expect([request.given, slow.answers.held], 'it was worked on in between').toEqual([0, 0]);
    clock.advanceNow(CHECK_MS);
    expect([request.given, slow.answers.held, slow.answerBytes.held]).toEqual([1, 1, 7]);
    expect(clock.pending, 'nobody else has one').toBe(0);
  });

  it('counts for nothing once its request is over, however often that is said', () => {
    const clock = new ManualClock();
    const slow = clientsOf(clock);
    const { request, end } = seated(slow);
    const { end: endOther } = seated(slow);
    request.bytes = 7;
    clock.advanceNow(2 * CHECK_MS);
    expect(slow.answers.heldBy('jane')).toBe(1);
    for (const over of [end, end, endOther]) over();
    expect([slow.answers.held, slow.answerBytes.held]).toEqual([0, 0]);
    clock.advanceNow(CHECK_MS);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, Partial<SlowClientLimits>]>([
    ['number', { answers: { inAll: 0, perUser: 1 } }],
    ['bytes', { answerBytes: { inAll: 0, perUser: 10 } }],
  ])('is kept for a second where there is no room in %s, and its request is closed then', (_what, limits) => {
    const clock = new ManualClock();
    const slow = clientsOf(clock, limits);
    const [first, second, other] = [seated(slow), seated(slow), seated(slow, 'joe')];
    for (const { request } of [first, second, other]) request.bytes = 10;
    expect(slow.hasRoom('jane')).toBe(true);
    clock.advanceNow(2 * CHECK_MS);
    expect([first, second, other].map(({ request }) => request.given)).toEqual([1, 0, 1]);
    expect([slow.hasRoom('jane'), slow.hasRoom('ann')]).toEqual([false, true]);
    clock.advanceNow(7 * CHECK_MS);
    expect(second.request.cut).toBe(0);
    clock.advanceNow(CHECK_MS);
    expect([second.request.cut, second.request.given, first.request.cut]).toEqual([1, 0, 0]);
    expect(clock.pending).toBe(0);
    second.end();
    expect(slow.answers.heldBy('jane')).toBe(1);
  });

  it('is not refused to who leaves nothing unread, however much others do', () => {
    const clock = new ManualClock();
    const slow = clientsOf(clock, { answers: { inAll: 1, perUser: 0 }, answerBytes: { inAll: 10, perUser: 0 } });
    const [first, other] = [seated(slow), seated(slow, 'joe')];
    for (const { request } of [first, other]) request.bytes = 20;
    clock.advanceNow(2 * CHECK_MS);
    expect([first.request.given, other.request.given]).toEqual([1, 1]);
    expect(['jane', 'joe', 'ann'].map((user) => slow.hasRoom(user))).toEqual([false, false, true]);
  });

  it('is given back as soon as there is room', () => {
    const clock = new ManualClock();
    const slow = clientsOf(clock, { answers: { inAll: 1, perUser: 0 } });
    const [first, second] = [seated(slow), seated(slow)];
    for (const { request } of [first, second]) request.bytes = 1;
    clock.advanceNow(8 * CHECK_MS);
    first.end();
    clock.advanceNow(CHECK_MS);
    expect([second.request.given, second.request.cut, slow.answers.heldBy('jane')]).toEqual([1, 0, 1]);
  });
});

const PATH = '/api/v1/namespaces/default/configmaps';
const MEGABYTE = 1 << 20;

/** Who asks stands in a header. */
const byHeader: Authenticator = {
  async authenticate({ headers }) {
    const name = String(headers['x-user'] ?? 'jane');
    const groups = name === 'root' ? ['system:masters'] : [];
    const found = authenticated({ name, groups, extra: {} }, 'token');
    return headers['x-only'] === undefined ? found : { ...found, onlyFor: 'watch' };
  },
};

describe('clients that keep a server waiting', () => {
  let api: TestApi;
  let metrics: Metrics;
  let clock: ManualClock;
  let server: TestServer;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    api = await testApi();
    metrics = new Metrics();
    clock = new ManualClock();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.close();
    api.close();
  });

  /** With one seat for each kind of requests. */
  async function serve(limits: Partial<SlowClientLimits> = {}, overrides: ListenOverrides = {}): Promise<SlowClients> {
    const slowClients = clientsOf(clock, limits);
    const flow = { turns: boundedTurns({ mutating: 1, readOnly: 1 }), slowClients };
    server = await openServer(listenerOf(api, { authenticator: byHeader, metrics, flow, ...overrides }));
    return slowClients;
  }

  /** Sends bytes, and what comes back as long as it reads. */
  async function raw(text: string): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let got = '';
    socket.on('data', (piece: Buffer) => {
      got += piece.toString('latin1');
    });
    await once(socket, 'connect');
    socket.write(text);
    return { socket, received: () => got, closed };
  }

  /** Holds writes up until they are let go. */
  function heldWrites() {
    const waiting: (() => void)[] = [];
    api.store.beforeWrite = () => new Promise((resolve) => waiting.push(() => resolve(undefined)));
    const letGo = () => {
      api.store.beforeWrite = () => undefined;
      for (const release of waiting.splice(0)) release();
    };
    return { waiting, letGo };
  }

  const object = (name: string) => JSON.stringify({ metadata: { name } });
  const postHead = (length: number, user = 'jane', query = '') =>
    `POST ${PATH}${query} HTTP/1.1\r\nHost: x\r\nX-User: ${user}\r\nContent-Length: ${length}\r\n\r\n`;
  const post = (name: string, user = 'jane', headers: Record<string, string> = {}) =>
    server.ask(PATH, { method: 'POST', headers: { 'X-User': user, ...headers }, body: object(name) });
  const refusals = async (limit: string) =>
    new RegExp(`^orch_limit_refusals_total\\{limit="${limit}"\\} (\\d+)`, 'm').exec((await metrics.text()).body)?.[1];

  describe('with bodies', () => {
    it('hold no seat, and have one once the body is there', async () => {
      const slow = await serve();
      const body = object('slow');
      const { socket, received } = await raw(postHead(body.length) + body.slice(0, 3));
      await expect.poll(() => slow.bodies.held).toBe(1);
      expect((await post('fast')).status).toBe(201);
      socket.write(body.slice(3));
      await expect.poll(received).toMatch(/^HTTP\/1\.1 201 /);
      expect(slow.bodies.held).toBe(0);
      expect(api.stored('configmaps', 'slow')).toBeDefined();
    });

    it('are so many in all and of one user, administrators left out', async () => {
      const slow = await serve({ bodies: { inAll: 3, perUser: 2 } });
      for (const user of ['jane', 'jane', 'joe']) await raw(postHead(10, user));
      await expect.poll(() => slow.bodies.held).toBe(3);
      for (const user of ['jane', 'joe']) {
        const { received } = await raw(postHead(10, user));
        await expect.poll(received).toMatch(/^HTTP\/1\.1 429 .*Retry-After: 1/is);
      }
      expect(await refusals('slow-bodies')).toBe('2');
      await raw(postHead(10, 'ann'));
      const message = 'who has none is not kept out by others';
      await expect.poll(() => slow.bodies.heldBy('ann'), { message }).toBe(1);
      await raw(postHead(10, 'root'));
      await expect.poll(() => slow.bodies.heldBy('root')).toBe(1);
      for (const socket of sockets) socket.destroy();
      await expect.poll(() => slow.bodies.held).toBe(0);
    });

    it('are told what is wrong with them only where the request may be made', async () => {
      const authorizer = { authorize: async ({ name }: { name: string }) => (name === 'eve' ? NO_OPINION : ALLOW) };
      await serve({}, { authorizer });
      const { maxBodyBytes } = api.deps.limits;
      for (const [user, status] of [
        ['eve', 403],
        ['jane', 413],
      ] as const) {
        const { received } = await raw(postHead(maxBodyBytes + 1, user));
        await expect.poll(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      }
    });

    it('are not waited for, nor kept, where their sender may not make the request, who is told in turn', async () => {
      const authorize = vi.fn(async ({ name }: { name: string }) => (name === 'eve' ? NO_OPINION : ALLOW));
      const bodies = new SharedBound(NONE);
      const slowClients = clientsOf(clock);
      const turns = boundedTurns({ mutating: 1, readOnly: 1 });
      await serve({}, { authorizer: { authorize }, flow: { turns, slowClients, bodies } });
      const refused = await raw(`${postHead(100_000, 'eve')}${'x'.repeat(10_000)}`);
      await expect.poll(refused.received).toMatch(/^HTTP\/1\.1 403 /);
      expect([slowClients.bodies.held, bodies.held]).toEqual([0, 0]);
      expect(authorize).toHaveBeenCalledTimes(1);
      const body = object('slow');
      const allowed = await raw(postHead(body.length) + body.slice(0, 3));
      await expect.poll(() => bodies.held).toBe(3);
      const { letGo, waiting } = heldWrites();
      const writing = post('fast');
      await expect.poll(() => waiting.length).toBe(1);
      expect((await post('other', 'eve')).status, 'in turn').toBe(429);
      letGo();
      expect((await writing).status).toBe(201);
      allowed.socket.write(body.slice(3));
      await expect.poll(allowed.received).toMatch(/^HTTP\/1\.1 201 /);
      expect(bodies.held).toBe(0);
      expect(authorize).toHaveBeenCalledTimes(4);
    });

    it('count as slow for as long as it is not known whether they are to be read', async () => {
      let answer: (decision: typeof ALLOW) => void = () => undefined;
      const authorize = () =>
        new Promise<typeof ALLOW>((resolve) => {
          answer = resolve;
        });
      const slow = await serve({}, { authorizer: { authorize } });
      const posted = post('a');
      await expect.poll(() => slow.bodies.held).toBe(1);
      answer(ALLOW);
      expect((await posted).status).toBe(201);
      expect(slow.bodies.held).toBe(0);
    });

    it('whose sender cannot be judged are not read', async () => {
      const slow = await serve({}, { authorizer: { authorize: () => Promise.reject(new Error('no answer')) } });
      const { received } = await raw(`${postHead(100)}x`);
      await expect.poll(received).toMatch(/^HTTP\/1\.1 500 /);
      expect(slow.bodies.held).toBe(0);
    });

    it('that come too slowly are refused, and let go of', async () => {
      api.close();
      api = await testApi({ bodyTimeoutMs: 50 });
      const slow = await serve();
      const { received } = await raw(postHead(10));
      await expect.poll(received).toMatch(/^HTTP\/1\.1 408 /);
      expect(slow.bodies.held).toBe(0);
    });

    it('hold no seat over HTTP/2 either', async () => {
      await serve();
      const slowClients = clientsOf(clock);
      const flow = { turns: boundedTurns({ mutating: 1, readOnly: 1 }), slowClients };
      const secure = await openSecureServer(api, { flow });
      const client = connectHttp2(`https://127.0.0.1:${secure.port}`, { ca: secure.pki.ca.cert });
      const begin = () =>
        client.request({ ':method': 'POST', ':path': PATH, authorization: `Bearer ${TOKEN}` }, { endStream: false });
      const status = async (stream: ClientHttp2Stream) => (await once(stream, 'response'))[0][':status'];
      const slow = begin();
      slow.write('{');
      await expect.poll(() => slowClients.bodies.held).toBe(1);
      const fast = begin();
      fast.end(object('fast'));
      expect(await status(fast)).toBe(201);
      slow.end(object('slow').slice(1));
      expect(await status(slow)).toBe(201);
      expect(slowClients.bodies.held).toBe(0);
      client.destroy();
      await secure.close();
    });

    it('are refused whose sender leaves answers unread, at once and once they are there', async () => {
      const slow = await serve({ answers: { inAll: 0, perUser: 1 } });
      const body = object('slow');
      const before = await raw(postHead(body.length) + body.slice(0, 3));
      await expect.poll(() => slow.bodies.held).toBe(1);
      slow.answers.take('jane', 1);
      const after = await raw(postHead(body.length) + body.slice(0, 3));
      await expect.poll(after.received).toMatch(/^HTTP\/1\.1 429 /);
      before.socket.write(body.slice(3));
      await expect.poll(before.received).toMatch(/^HTTP\/1\.1 429 /);
      expect(api.stored('configmaps', 'slow')).toBeUndefined();
      slow.answers.give('jane', 1);
      expect((await post('a')).status, 'the seat is free').toBe(201);
    });

    it('that their senders give up have no turn', async () => {
      const turns = boundedTurns({ mutating: 1, readOnly: 1 });
      const take = vi.fn(turns.take);
      const slowClients = clientsOf(clock);
      await serve({}, { flow: { slowClients, turns: { ...turns, take } } });
      const { socket } = await raw(`${postHead(10)}1`);
      await expect.poll(() => slowClients.bodies.held).toBe(1);
      socket.destroy();
      await expect.poll(() => slowClients.bodies.held).toBe(0);
      expect((await post('a')).status).toBe(201);
      expect(take).toHaveBeenCalledTimes(1);
    });

    it('that are passed on to another server have their seat for a moment', async () => {
      const aggregator = {
        answers: ({ group }: { group: string }) => group === 'other.example.com',
        answer(ctx: RequestContext) {
          if (!this.answers(ctx.info)) return undefined;
          return text(ctx.req.pipe(new PassThrough())).then((body) => {
            ctx.res.end(`got ${body}`);
          });
        },
      };
      const slow = await serve({}, { aggregator: aggregator as unknown as Aggregator });
      const path = '/apis/other.example.com/v1/things';
      const { socket, received } = await raw(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1`);
      await expect.poll(async () => (await post('a')).status).toBe(429);
      await expect
        .poll(async () => {
          clock.advanceNow(CHECK_MS);
          return (await post('b')).status;
        })
        .toBe(201);
      expect([slow.bodies.held, slow.answers.held, slow.answerBytes.held]).toEqual([0, 1, 0]);
      socket.write('2345');
      await expect.poll(received).toMatch(/^HTTP\/1\.1 200 .*got 12345/s);
      await expect.poll(() => slow.answers.held).toBe(0);
    });

    it('that another server does not take keep their seat: it is not their sender who is slow', async () => {
      const taker = new PassThrough({ highWaterMark: 1 });
      const aggregator = {
        answers: ({ group }: { group: string }) => group === 'other.example.com',
        answer(ctx: RequestContext) {
          if (!this.answers(ctx.info)) return undefined;
          ctx.req.pipe(taker);
          return once(taker, 'end').then(() => void ctx.res.end('taken'));
        },
      };
      const slow = await serve({}, { aggregator: aggregator as unknown as Aggregator });
      const path = '/apis/other.example.com/v1/things';
      const { socket, received } = await raw(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1`);
      await expect.poll(() => taker.writableNeedDrain).toBe(true);
      clock.advanceNow(10 * CHECK_MS);
      expect([(await post('a')).status, slow.answers.held]).toEqual([429, 0]);
      taker.resume();
      await expect.poll(() => taker.writableNeedDrain).toBe(false);
      clock.advanceNow(2 * CHECK_MS);
      expect([(await post('b')).status, slow.answers.held]).toEqual([201, 1]);
      socket.write('2345');
      await expect.poll(received).toMatch(/^HTTP\/1\.1 200 .*taken/s);
    });

    it('are not waited for where nothing reads them', async () => {
      await serve();
      const { received } = await raw(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n`);
      await expect.poll(received).toMatch(/^HTTP\/1\.1 200 /);
    });
  });

  describe('with errors', () => {
    /** Asks over HTTP/2, and lets nothing of the body of the answer come. */
    async function unread(path: string, overrides: ListenOverrides = {}) {
      await serve();
      const slowClients = clientsOf(clock);
      const flow = { turns: boundedTurns({ mutating: 1, readOnly: 1 }), slowClients };
      const secure = await openSecureServer(api, { flow, ...overrides });
      const settings = { initialWindowSize: 0 };
      const client = connectHttp2(`https://127.0.0.1:${secure.port}`, { ca: secure.pki.ca.cert, settings });
      const ask = (of: string) => client.request({ ':path': of, authorization: `Bearer ${TOKEN}` });
      const stream = ask(path).on('error', () => undefined);
      const [{ ':status': status }] = await once(stream, 'response');
      const close = async () => {
        client.destroy();
        await secure.close();
      };
      return { stream, status, ask, close };
    }

    it('are cut off that nobody reads for as long as a request may take', async () => {
      api.close();
      api = await testApi({ requestTimeoutMs: 100 });
      const { stream, status, close } = await unread(`${PATH}/none`);
      expect(status).toBe(404);
      await expect.poll(() => stream.closed).toBe(true);
      expect(stream.rstCode).not.toBe(0);
      await close();
    });

    it('that say that it took too long hold the seat for as long as it is worked on', async () => {
      let goOn: () => void = () => undefined;
      const worked = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const authorizer = { authorize: () => worked.then(() => ALLOW) };
      const { status, ask, close } = await unread(`${PATH}?timeout=20ms`, { authorizer });
      expect(status).toBe(504);
      clock.advanceNow(5 * CHECK_MS);
      const statusOf = async () => (await once(ask(PATH), 'response'))[0][':status'];
      expect(await statusOf()).toBe(429);
      goOn();
      await expect
        .poll(() => {
          clock.advanceNow(CHECK_MS);
          return statusOf();
        })
        .toBe(200);
      await close();
    });
  });

  describe('with answers', () => {
    const get = (user = 'jane') => server.ask(`${PATH}/small`, { headers: { 'X-User': user } });
    /** Asks for more than a connection holds, and reads nothing of it. */
    async function unread(path: string, user = 'jane') {
      const connection = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-User: ${user}\r\n\r\n`);
      connection.socket.pause();
      await expect.poll(async () => (await get('ann')).status, { message: 'the seat is taken' }).toBe(429);
      return connection;
    }
    /** Looks at the seats until somebody else has one. */
    const seatIsFree = () =>
      expect
        .poll(async () => {
          clock.advanceNow(CHECK_MS);
          return (await get('ann')).status;
        })
        .toBe(200);
    beforeEach(async () => {
      await api.create('configmaps', { metadata: { name: 'small' } });
      for (let at = 0; at < 16; at++) {
        const data = { text: 'x'.repeat(MEGABYTE - 1000) };
        await api.create('configmaps', { metadata: { name: `large-${at}` }, data });
      }
    });

    it('have their seat for a moment, and read on without', async () => {
      const slow = await serve();
      const { socket, received } = await unread(PATH);
      await seatIsFree();
      expect([slow.answers.heldBy('jane'), slow.answerBytes.held > 0]).toEqual([1, true]);
      socket.resume();
      await expect.poll(() => received().length).toBeGreaterThan(16 * (MEGABYTE - 1000));
      await expect.poll(() => slow.answers.held).toBe(0);
      expect(slow.answerBytes.held).toBe(0);
      // No seat has come of it: the next one finds as many as before.
      await unread(PATH);
    });

    it('that are read on have a seat for what is left to do, and wait for it as others do', async () => {
      const turns = boundedTurns({ mutating: 1, readOnly: 1 });
      const again = vi.fn(turns.takeAgain);
      const slow = clientsOf(clock);
      await serve({}, { flow: { turns: { ...turns, takeAgain: again }, slowClients: slow } });
      const first = await unread(PATH);
      await seatIsFree();
      const second = await unread(PATH, 'joe');
      first.socket.resume();
      await expect.poll(() => again.mock.calls.length).toBe(1);
      const before = first.received().length;
      expect(again.mock.results[0]?.value).toBeUndefined();
      clock.advanceNow(10 * CHECK_MS);
      await expect.poll(() => again.mock.calls.length).toBeGreaterThan(1);
      expect(before).toBeLessThan(16 * (MEGABYTE - 1000));
      await expect
        .poll(() => {
          clock.advanceNow(10 * CHECK_MS);
          return first.received().length;
        })
        .toBeGreaterThan(16 * (MEGABYTE - 1000));
      await expect.poll(() => slow.answers.heldBy('jane')).toBe(0);
      expect(slow.answers.heldBy('joe')).toBe(1);
      await seatIsFree();
      second.socket.destroy();
      await expect.poll(() => slow.answers.held).toBe(0);
      await seatIsFree();
    });

    it('that are read on for a moment give the seat of that back at once', async () => {
      const turns = boundedTurns({ mutating: 1, readOnly: 1 });
      const takeAgain = vi.fn(turns.takeAgain);
      await serve({}, { flow: { turns: { ...turns, takeAgain }, slowClients: clientsOf(clock) } });
      const { socket } = await unread(PATH);
      await seatIsFree();
      let read = 0;
      socket.on('data', (piece: Buffer) => {
        read += piece.length;
        if (takeAgain.mock.calls.length > 0) socket.pause();
      });
      socket.resume();
      await expect.poll(() => takeAgain.mock.calls.length).toBeGreaterThan(0);
      await expect.poll(async () => (await get('ann')).status, { message: 'without a look' }).toBe(200);
      expect(read).toBeLessThan(16 * (MEGABYTE - 1000));
    });

    it('that are left while they wait for a seat again take none', async () => {
      const turns = boundedTurns({ mutating: 1, readOnly: 1 });
      let taken = 0;
      let give: () => void = () => undefined;
      const takeAgain: Turns['takeAgain'] = () => {
        taken++;
        return new Promise((resolve) => {
          give = () => resolve({ isExempt: false, leave: () => void taken-- });
        });
      };
      await serve({}, { flow: { turns: { ...turns, takeAgain }, slowClients: clientsOf(clock) } });
      const { socket } = await unread(PATH);
      await seatIsFree();
      socket.resume();
      await expect.poll(() => taken).toBe(1);
      socket.destroy();
      await seatIsFree();
      give();
      await expect.poll(() => taken).toBe(0);
    });

    it('are so many: others are refused beforehand, or closed, and other users hear nothing of it', async () => {
      const slow = await serve({ answers: { inAll: 0, perUser: 1 } });
      await unread(PATH);
      await seatIsFree();
      expect((await get()).status).toBe(429);
      expect(await refusals('unread-answers')).toBe('1');
      slow.answers.take('root', 1);
      expect((await get('root')).status).toBe(200);
      const { socket, received, closed } = await unread(PATH, 'joe');
      slow.answers.take('joe', 1);
      await seatIsFree();
      socket.resume();
      await closed;
      expect(received().length).toBeLessThan(16 * (MEGABYTE - 1000));
      expect(await refusals('unread-answers')).toBe('2');
    });
  });

  it('a credential for one verb is good for no other', async () => {
    await serve();
    const headers = { 'X-Only': 'watch' };
    expect((await server.ask(PATH, { headers })).status).toBe(401);
    expect((await post('a', 'jane', headers)).status).toBe(401);
    const { received } = await raw(`GET ${PATH}?watch=1 HTTP/1.1\r\nHost: x\r\nX-Only: watch\r\n\r\n`);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 200 /);
  });
});

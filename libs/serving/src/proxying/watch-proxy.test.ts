import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { UserInfo } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { contextOf, openServer, type TestServer } from '@orch/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RequestInfo } from '../chain/request-info.js';
import type { RequestContext } from '../http/context.js';
import { type CutReason, OutgoingConnections } from '../sockets/outgoing-connections.js';
import { HandedStreams, type HandedStreamsSettings } from './handed-streams.js';
import { joinWebSockets } from './pass-on.js';
import { WatchProxy } from './watch-proxy.js';

/** Plain HTTP needs none. */
const CREDENTIALS = () => ({ servingCa: undefined, gatewayClient: undefined });
const EXPIRES_AT = Date.UTC(2030, 0, 2);
const USER: UserInfo = { name: 'jane', groups: ['dev'], extra: {} };

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function open(listener: RequestListener): Promise<string> {
  const server = await openServer(listener);
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

/** An address where nobody listens. */
async function nobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** A server that hands everything on. */
async function front(
  gateways: readonly string[],
  before: (ctx: RequestContext) => unknown = () => undefined,
  proxy = new WatchProxy(gateways, CREDENTIALS, new HandedStreams()),
) {
  const url = await open((req, res) => {
    const authentication = { user: USER, method: 'token' as const, expiresAt: EXPIRES_AT };
    const ctx = contextOf(req, res, { user: USER, authentication });
    Promise.resolve(before(ctx))
      .then(() => proxy.hand(ctx))
      .catch((error: unknown) => {
        if (!res.headersSent) res.writeHead(error instanceof StatusError ? error.code : 500).end();
      });
  });
  return url;
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly complete: boolean;
  readonly headers: IncomingHttpHeaders;
}

async function get(url: string, headers: Record<string, string> = {}, path = '/api/v1/pods?watch=1'): Promise<Got> {
  const { port } = new URL(url);
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  answer.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  answer.on('error', () => undefined);
  await new Promise((resolve) => answer.once('close', resolve));
  return { status: answer.statusCode ?? 0, text, complete: answer.complete, headers: answer.headers };
}

describe('watchProxy', () => {
  it('finds the gateway that serves, however many ask at the same time', async () => {
    const gateway = await open((_req, res) => res.end('{}'));
    const url = await front([await nobody(), gateway]);
    const got = await Promise.all(Array.from({ length: 20 }, () => get(url)));
    expect(new Set(got.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('passes the answer on as it is', async () => {
    const gateway = await open((_req, res) => {
      res.writeHead(410, { 'Content-Type': 'application/json', Warning: '299 - "x"' }).end('{}');
    });
    const got = await get(await front([gateway]));
    expect(got).toMatchObject({ status: 410, text: '{}', complete: true, headers: { warning: '299 - "x"' } });
  });

  it('says who asks, whatever the client claims, and keeps its credentials to itself', async () => {
    let seen: IncomingHttpHeaders = {};
    const gateway = await open((req, res) => {
      seen = req.headers;
      res.end();
    });
    await get(await front([gateway]), {
      Authorization: 'Bearer secret',
      'X-Remote-User': 'root',
      'X-Remote-Group': 'system:masters',
      'X-Remote-Uid': '0',
      'X-Remote-Expires': '2999-01-01T00:00:00Z',
      'X-Remote-Audited': 'true',
      'X-Remote-Extra-Scopes': 'all',
      'Impersonate-User': 'root',
      'Impersonate-Group': 'system:masters',
      Accept: 'application/json',
    });
    expect(seen['x-remote-user']).toBe('jane');
    expect(seen['x-remote-group']).toBe('dev');
    expect(seen['x-remote-expires']).toBe('2030-01-02T00:00:00.000Z');
    expect(seen.accept).toBe('application/json');
    expect(Object.keys(seen)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(authorization|x-remote-uid|x-remote-audited|x-remote-extra-.*|impersonate-.*)$/),
      ]),
    );
  });

  it('asks for the path as the client wrote it', async () => {
    const paths: (string | undefined)[] = [];
    const gateway = await open((req, res) => {
      paths.push(req.url);
      res.end();
    });
    const url = await front([gateway]);
    const asked = [
      '/api/v1/namespaces/a/../../b?watch=1',
      '/api/v1/namespaces/a\\..\\b?watch=1',
      '//elsewhere/api?watch=1',
    ];
    for (const path of asked) await get(url, {}, path);
    expect(paths).toEqual(asked);
  });

  it('does not announce a body that it does not send', async () => {
    let seen: IncomingHttpHeaders = {};
    const gateway = await open((req, res) => {
      seen = req.headers;
      res.end();
    });
    await get(await front([gateway]), { 'Content-Length': '0', Expect: '100-continue', TE: 'trailers' });
    expect(seen).not.toHaveProperty('content-length');
    expect(seen).not.toHaveProperty('expect');
    expect(seen).not.toHaveProperty('te');
  });

  it('turns to the next gateway when one cannot be reached', async () => {
    const gateway = await open((_req, res) => res.end('ok'));
    const url = await front([await nobody(), gateway]);
    for (let i = 0; i < 3; i++) expect(await get(url)).toMatchObject({ status: 200, text: 'ok' });
  });

  it('turns to each in turn', async () => {
    const [a, b] = [await open((_req, res) => res.end('a')), await open((_req, res) => res.end('b'))];
    const url = await front([a, b]);
    expect([(await get(url)).text, (await get(url)).text].sort()).toEqual(['a', 'b']);
  });

  it('says 503 when none can be reached', async () => {
    expect((await get(await front([await nobody(), await nobody()]))).status).toBe(503);
  });

  it('cuts the stream when the gateway is cut off, and ends it when it ends', async () => {
    const cut = await open((_req, res) => {
      res.write('half', () => res.destroy());
    });
    expect(await get(await front([cut]))).toMatchObject({ status: 200, complete: false });
    const whole = await open((_req, res) => res.end('whole'));
    expect(await get(await front([whole]))).toMatchObject({ complete: true, text: 'whole' });
  });

  it('lets the gateway go when the client does', async () => {
    let closed = 0;
    const gateway = await open((_req, res) => {
      res.once('close', () => closed++);
      res.write('x');
    });
    const { port } = new URL(await front([gateway]));
    const sent = request({ host: '127.0.0.1', port, agent: false });
    sent.on('error', () => undefined);
    sent.end();
    await once(sent, 'response');
    sent.destroy();
    await expect.poll(() => closed).toBe(1);
  });

  it('asks no gateway for a client that has gone already', async () => {
    let asked = 0;
    const gateway = await open((_req, res) => {
      asked++;
      res.write('x');
    });
    let reached = 0;
    const url = await front([gateway], async ({ req }) => {
      reached++;
      await once(req.socket, 'close');
      await new Promise((resolve) => setImmediate(resolve));
    });
    const sent = request({ host: '127.0.0.1', port: new URL(url).port, agent: false });
    sent.on('error', () => undefined);
    sent.end();
    await expect.poll(() => reached).toBe(1);
    sent.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked).toBe(0);
  });
});

describe('a drain', () => {
  /** A gateway whose one stream the test writes, a server that hands it on, and a client that reads. */
  async function handed(contentType = 'application/json') {
    let stream: ServerResponse | undefined;
    const gateway = await open((_req, res) => {
      res.writeHead(200, { 'Content-Type': contentType }).flushHeaders();
      stream = res;
    });
    const streams = new HandedStreams();
    const proxy = new WatchProxy([gateway], CREDENTIALS, streams);
    const url = await front([gateway], undefined, proxy);
    const sent = request(`${url}/api/v1/pods?watch=1`, { agent: false });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    answer.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    answer.on('error', () => undefined);
    const over = new Promise<void>((resolve) => answer.once('close', resolve));
    if (stream === undefined) throw new Error('the gateway was not asked');
    return { stream, streams, url, answer, over, received: () => text };
  }

  it('ends a silent stream at once', async () => {
    const { streams, over, answer } = await handed();
    await streams.drain(0);
    await over;
    expect(answer.complete).toBe(true);
    await expect.poll(() => streams.size).toBe(0);
  });

  it.each([
    ['application/json', '{"a":1}\n{"b":', '2}\n{"c":3}\n', '{"d":'],
    ['application/vnd.kubernetes.protobuf;stream=watch', '\0\0\0\x02ab\0\0', '\0\x01c\0\0\0\x01d', '\0\0\0\x02x'],
  ])('ends one of %s behind the event that is under way', async (contentType, before, rest, more) => {
    const { stream, streams, over, answer, received } = await handed(contentType);
    stream.write(before);
    await expect.poll(received).toBe(before);
    await streams.drain(0);
    stream.write(rest + more);
    await over;
    expect([received(), answer.complete]).toEqual([before + rest, true]);
  });

  it.each([
    ['ends one that its gateway ends', (stream: ServerResponse) => stream.end(), true],
    ['cuts one that its gateway cuts', (stream: ServerResponse) => stream.destroy(), false],
  ])('%s in the middle of an event', async (_what, act, complete) => {
    const { stream, streams, over, answer, received } = await handed();
    stream.write('{"half":');
    await expect.poll(received).toBe('{"half":');
    await streams.drain(0);
    act(stream);
    await over;
    expect(answer.complete).toBe(complete);
  });

  it('refuses what comes later', async () => {
    const { streams, url, over } = await handed();
    await streams.drain(0);
    await over;
    expect((await get(url)).status).toBe(429);
  });
});

describe('a gateway that has vanished', () => {
  /** A watch with a gateway that answers and then never says anything. */
  async function silent(path: string, settings: HandedStreamsSettings) {
    const gateway = await open((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' }).write('{"n":1}\n');
    });
    const streams = new HandedStreams(settings);
    const info = { verb: 'watch' } as RequestInfo;
    const known = (ctx: RequestContext) => Object.assign(ctx, { info });
    const url = await front([gateway], known, new WatchProxy([gateway], CREDENTIALS, streams));
    return get(url, {}, path);
  }

  const cutting = (silenceMs: number) => {
    const cuts: CutReason[] = [];
    return { cuts, connections: new OutgoingConnections({ silenceMs, onCut: (reason) => cuts.push(reason) }) };
  };

  it('costs a watch with bookmarks its stream, which is cut', async () => {
    const { cuts, connections } = cutting(50);
    const got = await silent('/api/v1/pods?watch=1&allowWatchBookmarks=true', { connections });
    expect(got).toMatchObject({ status: 200, text: '{"n":1}\n', complete: false });
    expect(cuts).toEqual(['silent']);
  });

  it.each([
    '/api/v1/pods?watch=1&timeoutSeconds=0.1',
    '/api/v1/pods?watch=1&timeoutSeconds=0.1&allowWatchBookmarks=false',
  ])('ends %s with its time, and no sooner', async (path) => {
    const { cuts, connections } = cutting(50);
    const limits = { minRequestTimeoutSeconds: 1800, maxWatchAgeMs: 0 };
    const start = performance.now();
    const got = await silent(path, { connections, limits, graceMs: 200 });
    // A timer may be early by a millisecond.
    expect(performance.now() - start).toBeGreaterThan(295);
    expect(got).toMatchObject({ status: 200, text: '{"n":1}\n', complete: true });
    expect(cuts).toEqual(['deadline']);
  });

  it('is noticed on each connection to it', async () => {
    const { connections } = cutting(0);
    const keep = vi.spyOn(connections, 'keep');
    const gateway = await open((_req, res) => res.end('{}'));
    const streams = new HandedStreams({ connections });
    const url = await front([gateway], undefined, new WatchProxy([gateway], CREDENTIALS, streams));
    for (let i = 0; i < 2; i++) await get(url);
    expect(keep).toHaveBeenCalledTimes(2);
  });

  it('costs a watch over WebSocket its connection', async () => {
    const [client, mine] = await socketPair();
    const [gateway, theirs] = await socketPair();
    const ctx = { res: {} } as RequestContext;
    const onCut = vi.fn();
    const answer = { headers: { upgrade: 'websocket' } } as IncomingMessage;
    const head = Buffer.alloc(0);
    joinWebSockets(ctx, { socket: mine, head }, answer, { socket: theirs, head }, { limitMs: 50, onCut });
    client.resume();
    await Promise.all([once(client, 'close'), once(gateway.resume(), 'close')]);
    expect(onCut).toHaveBeenCalledTimes(1);
  });
});

describe('the time of a stream', () => {
  it.each([
    ['watch', 1],
    ['get', 0],
  ])('is kept here for a %s only where it is known', async (verb, ends) => {
    const limits = { minRequestTimeoutSeconds: 0, maxWatchAgeMs: 0 };
    const streams = new HandedStreams({ limits, graceMs: 0 });
    const stream = { end: vi.fn() };
    const server = await openServer((req, res) => {
      const info = { verb } as RequestInfo;
      streams.add(contextOf(req, res, { info }), stream);
      setTimeout(() => res.end(), 50);
    });
    servers.push(server);
    await server.ask('/');
    expect(stream.end).toHaveBeenCalledTimes(ends);
  });
});

/** Both ends of a connection. */
async function socketPair(): Promise<[Socket, Socket]> {
  const server = createTcpServer({ allowHalfOpen: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  server.close();
  for (const socket of [client, accepted]) socket.on('error', () => undefined);
  return [client, accepted];
}

import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { openSecureServer, type SecureOverrides, type SecureServer, type TestApi, TOKEN, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limited } from './connection-limits.js';
import { isTooLate, letGo } from './http2-sessions.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const HEAD = `Host: x\r\nAuthorization: Bearer ${TOKEN}\r\n`;

type ConnectionOverrides = NonNullable<SecureOverrides['limits']>;

let api: TestApi;
let server: SecureServer;
let opened: SecureServer | undefined;
const ends: (() => void)[] = [];
beforeEach(async () => {
  api = await testApi({ bodyTimeoutMs: 300, requestTimeoutMs: 1_000 });
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await opened?.close();
  opened = undefined;
  api.close();
});

const serve = async (limits: ConnectionOverrides, others: SecureOverrides = {}) => {
  opened = server = await openSecureServer(api, { limits, ...others });
};

/** A connection of HTTP/1.1, and what has come over it. */
async function plain(): Promise<{ socket: TLSSocket; received: () => string; closed: Promise<unknown> }> {
  const socket = connect({ port: server.port, host: '127.0.0.1', ca: server.pki.ca.cert });
  ends.push(() => socket.destroy());
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let text = '';
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
  });
  await once(socket, 'secureConnect');
  return { socket, received: () => text, closed };
}

async function session(): Promise<ClientHttp2Session> {
  const opened = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: server.pki.ca.cert });
  opened.on('error', () => undefined);
  ends.push(() => opened.destroy());
  await once(opened, 'remoteSettings');
  return opened;
}

function send(on: ClientHttp2Session, headers: Record<string, string> = {}, endStream = true): ClientHttp2Stream {
  const stream = on.request({ ':path': PATH, authorization: `Bearer ${TOKEN}`, ...headers }, { endStream });
  stream.on('error', () => undefined);
  return stream;
}

const statusOf = async (stream: ClientHttp2Stream) => {
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  stream.resume();
  return headers[':status'];
};

/** Something every few milliseconds, until the test is over. */
function often(doing: () => void): void {
  const timer = setInterval(doing, 20);
  ends.push(() => clearInterval(timer));
}

describe('the time for a head', () => {
  it('is over for a client that says nothing, and for one that dribbles', async () => {
    await serve({ headMs: 400 });
    const [silent, slow] = [await plain(), await plain()];
    slow.socket.write(`GET ${PATH} HTTP/1.1\r\n${HEAD}`);
    often(() => slow.socket.writable && slow.socket.write('a: b\r\n'));
    await Promise.all([silent.closed, slow.closed]);
    for (const { received } of [silent, slow])
      expect(received()).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n.*"kind":"Status".*"code":408/s);
  });

  it('is over for a client that begins no handshake', async () => {
    await serve({ headMs: 200 });
    const socket = connectTcp(server.port, '127.0.0.1').on('error', () => undefined);
    socket.resume();
    await once(socket, 'close');
  });
});

describe('the time for a body', () => {
  it('is over for one that dribbles, over HTTP/1.1', async () => {
    await serve({});
    const { socket, received } = await plain();
    socket.write(`POST ${PATH} HTTP/1.1\r\n${HEAD}Content-Length: 9000\r\n\r\n`);
    often(() => socket.writable && socket.write('x'));
    await expect.poll(received).toMatch(/^HTTP\/1.1 408 .*"kind":"Status".*"code":408/s);
  });

  it('is over for one that dribbles, over HTTP/2, and other streams go on', async () => {
    await serve({});
    const on = await session();
    const stream = send(on, { ':method': 'POST' }, false);
    often(() => stream.writable && stream.write('x'));
    expect(await statusOf(stream)).toBe(408);
    expect(await statusOf(send(on))).toBe(200);
  });
});

describe('the time for an answer', () => {
  const create = (name: string) =>
    api.create('configmaps', { metadata: { name }, data: { text: 'x'.repeat(900_000) } });

  it('is over for a client that does not read it, over either version', async () => {
    let left = 0;
    const turn = { isExempt: true, leave: () => void left++ };
    await serve({}, { flow: { turns: { isExempt: () => true, take: () => turn, takeAgain: () => turn } } });
    for (let at = 0; at < 20; at++) await create(`c${at}`);
    const { socket, closed } = await plain();
    socket.pause();
    socket.write(`GET ${PATH} HTTP/1.1\r\n${HEAD}\r\n`);
    const stalled = send(await session());
    stalled.pause();
    const reset = new Promise((resolve) => stalled.once('close', resolve));
    // Nothing is seen of its end by who does not read.
    await expect.poll(() => left).toBe(2);
    socket.resume();
    stalled.resume();
    await Promise.all([closed, reset]);
    expect(stalled.rstCode).not.toBe(0);
  });
});

describe('the size of a head', () => {
  it.each([
    ['target', `GET ${PATH}?labelSelector=${'a'.repeat(9_000)} HTTP/1.1\r\n${HEAD}\r\n`],
    ['field', `GET ${PATH} HTTP/1.1\r\n${HEAD}A: ${'x'.repeat(9_000)}\r\n\r\n`],
    ['number of fields', `GET ${PATH} HTTP/1.1\r\n${HEAD}${'a: b\r\n'.repeat(100)}\r\n`],
  ])('is bounded over HTTP/1.1: %s', async (_what, bytes) => {
    await serve({ maxHeadBytes: 8 << 10, maxHeadFields: 100 });
    const { socket, received, closed } = await plain();
    socket.write(bytes);
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 431 .*"kind":"Status".*"code":431/s);
  });

  it('is bounded over HTTP/2', async () => {
    await serve({ maxHeadBytes: 8 << 10, maxHeadFields: 100 });
    const on = await session();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, 'b']));
    for (const headers of [{ ':path': `${PATH}?labelSelector=${'a'.repeat(9_000)}` }, { a: 'x'.repeat(9_000) }, many])
      expect(await statusOf(send(on, headers))).toBe(431);
    expect(await statusOf(send(on))).toBe(200);
  });
});

describe('a connection on which nothing is asked', () => {
  it('is closed over HTTP/1.1', async () => {
    await serve({ idleMs: 200 });
    const { socket, received, closed } = await plain();
    socket.write(`GET ${PATH} HTTP/1.1\r\n${HEAD}\r\n`);
    await expect.poll(received).toMatch(/^HTTP\/1.1 200 /);
    await closed;
  });

  it('is closed over HTTP/2, also when pings come over it, but not under a stream', async () => {
    await serve({ idleMs: 300 });
    const [idle, busy] = [await session(), await session()];
    const watch = send(busy, { ':path': `${PATH}?watch=1` });
    expect(await statusOf(watch)).toBe(200);
    often(() => idle.destroyed || idle.ping(() => undefined));
    await once(idle, 'close');
    expect([busy.closed, watch.closed]).toEqual([false, false]);
    watch.close();
    await once(busy, 'close');
  });
});

it('more connections than there may be are closed at once', async () => {
  await serve({ maxConnections: 1 });
  const first = await plain();
  const second = connectTcp(server.port, '127.0.0.1').on('error', () => undefined);
  second.resume();
  await once(second, 'close');
  first.socket.write(`GET ${PATH} HTTP/1.1\r\n${HEAD}\r\n`);
  await expect.poll(first.received).toMatch(/^HTTP\/1.1 200 /);
});

describe('the chance of being sent away', () => {
  it('ends a connection of HTTP/1.1 behind the answer', async () => {
    await serve({ goawayChance: 1 });
    const { socket, received, closed } = await plain();
    socket.write(`GET ${PATH} HTTP/1.1\r\n${HEAD}\r\n`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 200 .*Connection: close.*"ConfigMapList"/s);
  });

  it('lets what is open on a connection of HTTP/2 go on', async () => {
    await serve({ goawayChance: 1 });
    const on = await session();
    const [goaway, closed] = [once(on, 'goaway'), once(on, 'close')];
    const watch = send(on, { ':path': `${PATH}?watch=1` });
    let text = '';
    watch.on('data', (piece: Buffer) => {
      text += piece;
    });
    expect(await statusOf(watch)).toBe(200);
    expect((await goaway)[0]).toBe(0);
    await api.create('configmaps', { metadata: { name: 'later' } });
    await expect.poll(() => text).toContain('later');
    watch.close();
    await closed;
    expect(await statusOf(send(await session()))).toBe(200);
  });

  it('makes no request be carried out that a client is told to send again', async () => {
    await serve({ goawayChance: 1 });
    for (let round = 0; round < 5; round++) {
      const on = await session();
      const names = Array.from({ length: 50 }, (_, at) => `c${round}-${at}`);
      const outcomes = names.map(async (name) => {
        const stream = send(on, { ':method': 'POST' }, false);
        let status: unknown;
        stream.once('response', (headers) => {
          status = headers[':status'];
        });
        stream.resume().end(JSON.stringify({ metadata: { name } }));
        await new Promise((resolve) => stream.once('close', resolve));
        return [name, status] as const;
      });
      for (const [name, status] of await Promise.all(outcomes))
        expect([name, status, api.stored('configmaps', name) !== undefined]).toEqual([name, status, status === 201]);
    }
  });

  it('leaves what came behind the last request that the client was told of', () => {
    const session = { state: { lastProcStreamID: 3 }, close: () => undefined };
    letGo(session as never);
    expect([1, 3, 5].map((id) => isTooLate({ session, id } as never))).toEqual([false, false, true]);
    expect(isTooLate({ session: {}, id: 5 } as never)).toBe(false);
  });

  it('is that of each request', () => {
    const limits = { maxHeadBytes: 99, maxHeadFields: 9, goawayChance: 0.02 };
    let draw = 0;
    const nothing = () => undefined;
    const times = { headMs: 0, requestMs: 0, idleMs: 0, maxConnections: 0, handshakesPerRound: 0 };
    const listener = limited(nothing, { ...limits, ...times }, nothing, () => draw);
    const res = { shouldKeepAlive: true };
    const ask = () => listener({ rawHeaders: [], headers: {}, httpVersionMajor: 1 } as never, res as never);
    draw = 0.02;
    ask();
    expect(res.shouldKeepAlive).toBe(true);
    draw = 0.0199;
    ask();
    expect(res.shouldKeepAlive).toBe(false);
  });
});

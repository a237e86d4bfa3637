import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { forwardedIdentity } from '@orch/authentication';
import { decodeUnknown } from '@orch/codec';
import { openSecureServer, type SecureServer, type TestApi, TOKEN, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { webSocketMessage } from '../watching/frames.js';
import { WebSocketWatch } from '../watching/web-socket-watch.js';

const PATH = '/api/v1/namespaces/default/configmaps?watch=1';
const BEARER = { Authorization: `Bearer ${TOKEN}` };
const inProtocol = (token: string) =>
  `base64url.bearer.authorization.orch.io.${Buffer.from(token).toString('base64url')}`;

let api: TestApi;
let server: SecureServer;
const clients: { destroy(): void }[] = [];
beforeEach(async () => {
  api = await testApi();
  server = await openSecureServer(api);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server.close();
  api.close();
});

interface Options {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
  readonly pair?: { readonly cert: string; readonly key: string };
}

/** A client, the messages that have come to it, and the status of a refusal. */
function open({ path = PATH, headers = BEARER, protocols = [], pair }: Options = {}) {
  const url = `wss://127.0.0.1:${server.port}${path}`;
  const client = new WebSocket(url, [...protocols], { ca: server.pki.ca.cert, headers, ...pair });
  clients.push({ destroy: () => client.terminate() });
  const messages: { data: Buffer; binary: boolean }[] = [];
  client.on('message', (data: Buffer, binary) => messages.push({ data, binary }));
  client.on('error', () => undefined);
  const outcome = new Promise<number>((resolve) => {
    client.once('open', () => resolve(101));
    client.once('unexpected-response', (_req, res) => {
      resolve(res.statusCode ?? 0);
      res.destroy();
    });
  });
  const closed = new Promise<number>((resolve) => client.once('close', resolve));
  return { client, messages, outcome, closed };
}

const GOOD = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
const create = (name: string, text = '') => api.create('configmaps', { metadata: { name }, data: { text } });
const watchers = () => api.deps.cache.peek(api.endpoint('configmaps').type)?.watchers ?? 0;

/** A TLS connection that has sent bytes, and what came back. */
async function raw(bytes: string): Promise<{ socket: TLSSocket; received: () => string }> {
  const socket = connect({ port: server.port, host: '127.0.0.1', ca: server.pki.ca.cert });
  clients.push(socket);
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
  });
  await once(socket, 'secureConnect');
  socket.write(bytes);
  return { socket, received: () => text };
}

describe('frames of servers (RFC 6455, section 5.2)', () => {
  it.each([
    [1, '8101'],
    [125, '817d'],
    [126, '817e007e'],
    [65_535, '817effff'],
    [65_536, '817f0000000000010000'],
  ])('of %i bytes begin with %s', (length, head) => {
    const frame = webSocketMessage('text', Buffer.alloc(length, 'x'));
    expect(frame.toString('hex', 0, head.length / 2)).toBe(head);
    expect(frame.length).toBe(head.length / 2 + length);
  });
});

describe('a watch over a WebSocket', () => {
  it('is a text message for each event', async () => {
    await create('a', 'x'.repeat(70_000));
    const { messages } = open();
    await expect.poll(() => messages.length).toBe(1);
    for (const name of ['b', 'c', 'd']) await create(name);
    await expect.poll(() => messages.length).toBe(4);
    const events = messages.map(({ data }) => JSON.parse(data.toString()));
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => `ADDED ${name}`),
    );
    expect(messages.every(({ binary }) => !binary)).toBe(true);
  });

  it('is a binary message for each event in protobuf', async () => {
    await create('a');
    const { messages } = open({ headers: { ...BEARER, Accept: 'application/vnd.orch.protobuf;stream=watch' } });
    await expect.poll(() => messages.length).toBe(1);
    expect(messages[0]?.binary).toBe(true);
    // A WatchEvent with the type in field 1 and the object in field 2.
    const event = messages[0]?.data ?? Buffer.alloc(0);
    expect(event.toString('latin1')).toContain('ADDED');
    const object = event.subarray(event.indexOf(Buffer.from([0x6b, 0x38, 0x73, 0x00])));
    expect(decodeUnknown(object)).toMatchObject({ kind: 'ConfigMap' });
  });

  it('closes normally at its time', async () => {
    const { closed } = open({ path: `${PATH}&timeoutSeconds=1` });
    expect(await closed).toBe(1000);
  });

  it('closes after an ERROR event when it cannot go on', async () => {
    const { closed, outcome } = open();
    expect(await outcome).toBe(101);
    await expect.poll(watchers).toBe(1);
    api.deps.cache.unload(api.endpoint('configmaps').type);
    expect(await closed).toBe(1000);
  });

  it('lets go of its watcher when the client closes, or is cut off', async () => {
    const first = open();
    const second = open();
    await expect.poll(watchers).toBe(2);
    first.client.close();
    expect(await first.closed).toBe(1005);
    await expect.poll(watchers).toBe(1);
    second.client.terminate();
    await expect.poll(watchers).toBe(0);
  });

  it('answers pings, passes over what clients say, and closes with 1009 when they say too much', async () => {
    const { client, closed, outcome } = open();
    await outcome;
    client.ping('x');
    expect((await once(client, 'pong')).toString()).toBe('x');
    client.send('hello');
    client.send(Buffer.alloc(70_000));
    expect(await closed).toBe(1009);
    await expect.poll(watchers).toBe(0);
  });

  it('that is not read keeps little, and tells everything later', async () => {
    const stalled = open();
    const other = open();
    await Promise.all([stalled.outcome, other.outcome]);
    await expect.poll(watchers).toBe(2);
    stalled.client.pause();
    // More than what the kernel holds for a connection.
    const count = 160;
    for (let at = 0; at < count; at++) await create(`c${at}`, 'x'.repeat(100_000));
    await expect.poll(() => other.messages.length, { timeout: 10_000 }).toBe(count);
    expect(api.deps.cache.peek(api.endpoint('configmaps').type)?.stats().behind).toBe(1);
    stalled.client.resume();
    await expect.poll(() => stalled.messages.length, { timeout: 10_000 }).toBe(count);
  });

  it('is never cut into by what the library says: pongs and closing take their turn behind events', async () => {
    const slow = open();
    await slow.outcome;
    await expect.poll(watchers).toBe(1);
    slow.client.pause();
    const own = () => api.deps.watchOutputs.waiting().own;
    // More than what the kernel holds for a connection, in events of many slices each.
    for (let at = 0; own() === 0 || at < 12; at++) await create(`c${at}`, 'x'.repeat(900_000));
    expect(own()).toBeLessThanOrEqual(api.deps.limits.watchBufferBytes);
    slow.client.ping('between');
    const ponged = once(slow.client, 'pong');
    for (let at = 0; at < 3; at++) await create(`meanwhile${at}`, 'x'.repeat(900_000));
    slow.client.resume();
    expect(String(await ponged)).toBe('between');
    await expect.poll(() => slow.messages.length).toBeGreaterThanOrEqual(15);
    for (const { data } of slow.messages) JSON.parse(data.toString());
    slow.client.pause();
    for (let at = 0; at < 3; at++) await create(`d${at}`, 'x'.repeat(900_000));
    slow.client.close();
    slow.client.resume();
    // Not 1002 or 1006, which would say that a frame was broken.
    expect(await slow.closed).toBe(1005);
  });

  it('keeps no answers to pings for a client that does not read, and answers the last one later', async () => {
    const { client, outcome } = open();
    await outcome;
    await expect.poll(watchers).toBe(1);
    client.pause();
    const { limits, watchOutputs } = api.deps;
    let longest = 0;
    // More than what the kernel holds for a connection; a few at a time, as of many at once the library makes an end.
    for (let at = 0; at < 200_000; at++) {
      client.ping(Buffer.alloc(125, 'x'));
      if (at % 32 > 0) continue;
      await new Promise<void>((resolve) => client.ping('x', undefined, () => setImmediate(resolve)));
      const { own, shared } = watchOutputs.waiting();
      longest = Math.max(longest, own + shared);
    }
    const ponged = new Promise<void>((resolve) => client.on('pong', (data) => String(data) === 'last' && resolve()));
    client.ping('last');
    expect(longest).toBeLessThan(2 * limits.watchBufferBytes);
    client.resume();
    await ponged;
    expect(longest).toBeGreaterThan(0);
  }, 60_000);

  it('closes with 1008 when a message comes in too many parts', async () => {
    const { client, closed, outcome } = open();
    await outcome;
    for (let at = 0; at < 65; at++) client.send('x', { fin: false });
    expect(await closed).toBe(1008);
  });

  it('that has ended waits for its client to close for a short while', async () => {
    const { socket, received } = await raw(
      `GET ${PATH}&timeoutSeconds=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${GOOD}\r\n`,
    );
    await once(socket, 'close');
    expect(received().slice(-4)).toBe('\x88\x02\x03\xe8');
  }, 8_000);

  it('is pinged while nothing happens', async () => {
    const pings: string[] = [];
    const pinging = await openSecureServer(api, {
      proxyWatch: async (ctx) =>
        ctx.upgrade && new WebSocketWatch(ctx.upgrade, api.deps.watchOutputs, 20).open(ctx, () => undefined),
    });
    const client = new WebSocket(`wss://127.0.0.1:${pinging.port}${PATH}`, {
      ca: pinging.pki.ca.cert,
      headers: BEARER,
    });
    client.on('ping', () => pings.push('ping'));
    await expect.poll(() => pings.length).toBeGreaterThan(2);
    client.close();
    await pinging.close();
  });
});

describe('who asks by a WebSocket', () => {
  it.each([
    ['nobody', [], 403],
    ['a token among the subprotocols', ['base64.binary.k8s.io', inProtocol(TOKEN)], 101],
    ['the same the other way round', [inProtocol(TOKEN), 'x'], 101],
    ['a wrong token', ['x', inProtocol('wrong')], 401],
    ['a token alone', [inProtocol(TOKEN)], 401],
    ['two tokens', ['x', inProtocol(TOKEN), inProtocol('y')], 401],
    ['a token that is none', ['x', 'base64url.bearer.authorization.orch.io.a~'], 401],
  ])('%s', async (_who, protocols, status) => {
    const { client, outcome } = open({ headers: {}, protocols });
    expect(await outcome).toBe(status);
    if (status === 101) expect(client.protocol).toBe(protocols.find((name) => !name.startsWith('base64url')));
  });

  it('by a client certificate of a browser only from the own origin', async () => {
    const pair = server.pki.admin;
    const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0' };
    const from = (Origin?: string, agent: Record<string, string> = browser) =>
      open({ headers: { ...agent, ...(Origin && { Origin }) }, pair }).outcome;
    expect(await from()).toBe(101);
    expect(await from(`https://127.0.0.1:${server.port}`)).toBe(101);
    expect(await from('https://elsewhere.example')).toBe(403);
    expect(await from('null')).toBe(403);
    expect(await from('http://localhost', { 'User-Agent': 'e2e.test/v1.27.16' })).toBe(101);
    // A token is no secret that a browser gives away by itself.
    const Origin = 'https://elsewhere.example';
    expect(await open({ headers: { ...BEARER, Origin } }).outcome).toBe(101);
    const claim = forwardedIdentity({ name: 'eve', groups: ['dev'], extra: {} });
    expect(await open({ headers: { ...claim, Origin }, pair: server.pki.proxy }).outcome).toBe(101);
  });
});

describe('what is no WebSocket watch', () => {
  it.each([
    ['/api/v1/namespaces/default/nosuch?watch=1', 404],
    ['/api/v1/namespaces/default/configmaps?watch=0', 200],
    [`${PATH}&resourceVersion=x`, 400],
    [`${PATH}&fieldSelector=data.a=1`, 400],
  ])('%s is answered as ever: %i', async (path, status) => {
    expect(await open({ path }).outcome).toBe(status);
    expect(watchers()).toBe(0);
  });

  const head = `Host: x\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: Upgrade\r\n`;

  it.each([
    '',
    'Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n',
    `${GOOD}Sec-WebSocket-Protocol: a,,b\r\n`,
    `${GOOD}Sec-WebSocket-Protocol: a, a\r\n`,
  ])('a handshake that is none is a 400: %j', async (lines) => {
    const { socket, received } = await raw(`GET ${PATH} HTTP/1.1\r\n${head}Upgrade: websocket\r\n${lines}\r\n`);
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1.1 400 .*"kind":"Status"/s);
    expect(watchers()).toBe(0);
    const next = await raw(`GET ${PATH} HTTP/1.1\r\n${head}Upgrade: websocket\r\n${GOOD}\r\n`);
    await expect.poll(next.received).toMatch(/^HTTP\/1.1 101 .*\r\n\r\n/s);
    expect(next.received().match(/Audit-Id/g)).toHaveLength(1);
  });

  it('a long list goes out whole', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(name, name.repeat(1 << 20));
    const path = PATH.split('?')[0];
    const { socket, received } = await raw(`GET ${path} HTTP/1.1\r\n${head}Upgrade: websocket\r\n${GOOD}\r\n`);
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1.1 200 .*\r\n0\r\n\r\n$/s);
    expect(received().length).toBeGreaterThan(4 << 20);
  });

  it('a wish for another protocol is passed over, and its connection goes on where no body comes with it', async () => {
    const body = JSON.stringify({ metadata: { name: 'kept' } });
    const length = `Content-Length: ${body.length}\r\n`;
    const path = PATH.split('?')[0];
    const upgrades = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const first = await raw(`POST ${path} HTTP/1.1\r\n${head}${upgrades}${length}\r\n${body}`);
    await expect.poll(first.received).toMatch(/^HTTP\/1.1 201 /);
    const { socket, received } = await raw(`GET ${path}/nosuch HTTP/1.1\r\n${head}${upgrades}\r\n`);
    await expect.poll(received).toMatch(/^HTTP\/1.1 404 /);
    socket.write(`GET ${path}/kept HTTP/1.1\r\n${head}${upgrades}\r\n`);
    await expect.poll(received).toMatch(/HTTP\/1.1 200 .*"kept"/s);
    const deletion = JSON.stringify({ preconditions: { uid: 'other' } });
    const websocket = `Upgrade: websocket\r\nContent-Length: ${deletion.length}\r\n`;
    socket.write(`DELETE ${path}/kept HTTP/1.1\r\n${head}${websocket}\r\n${deletion}`);
    await expect.poll(received).toMatch(/HTTP\/1.1 409 /);
  });
});

describe('a wish for another protocol behind requests that are not answered yet', () => {
  const head = `Host: x\r\nAuthorization: Bearer ${TOKEN}\r\n`;
  const list = `GET ${PATH.split('?')[0]} HTTP/1.1\r\n${head}\r\n`;
  const wish = (path: string, protocol: string, more = '') =>
    `GET ${path} HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`;
  const webSocket = wish(PATH, 'websocket', GOOD);

  it.each([
    ['a watch', list + list + webSocket, /^HTTP\/1.1 200 .*HTTP\/1.1 200 .*HTTP\/1.1 101 .*"object"/s],
    ['what is passed over', list + wish(`${PATH.split('?')[0]}/a`, 'h2c'), /^HTTP\/1.1 200 .*HTTP\/1.1 200 .*"a"/s],
    [
      'one behind the other',
      wish('/nosuch', 'h2c') + wish('/nosuch', 'h2c') + webSocket,
      /^HTTP\/1.1 404 .*HTTP\/1.1 404 .*HTTP\/1.1 101 /s,
    ],
  ])('is answered behind them: %s', async (_case, requests, answers) => {
    for (const name of ['a', 'b', 'c', 'd']) await create(name, name.repeat(1 << 20));
    const { received } = await raw(requests);
    await expect.poll(received, { timeout: 10_000 }).toMatch(answers);
  });

  it('waits for as many of them as its client sends, and nobody is warned', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    const { received } = await raw(`GET /nosuch HTTP/1.1\r\n${head}\r\n`.repeat(50) + webSocket);
    await expect.poll(received, { timeout: 10_000 }).toMatch(/HTTP\/1.1 101 /);
    expect(received().match(/HTTP\/1.1 404 /g)).toHaveLength(50);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('goes with the connection when that ends behind an answer', async () => {
    const watch = `GET ${PATH}&timeoutSeconds=1 HTTP/1.1\r\n${head}\r\n`;
    const { socket, received } = await raw(watch + webSocket);
    await once(socket, 'close');
    expect(received().match(/HTTP\/1.1 /g)).toHaveLength(1);
    expect(watchers()).toBe(0);
  });

  it('goes with its client', async () => {
    const { socket } = await raw(`GET ${PATH} HTTP/1.1\r\n${head}\r\n${webSocket}`);
    await expect.poll(watchers).toBe(1);
    socket.destroy();
    await expect.poll(watchers).toBe(0);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { flood } from '../support/flood.js';
import { makePodOn, type NodeAgent, startNodeAgent } from '../support/node-agent.js';
import { flooded, servePodSessions } from '../support/pod-sessions.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { openUpgraded } from '../support/upgraded.js';
import { type Opened, openWebSocket } from '../support/web-socket.js';

const GATES = 'TranslateStreamCloseWebsocketRequests=true,PortForwardWebsockets=true';
const V5 = 'v5.channel.k8s.io';
const TUNNEL = 'SPDY/3.1+portforward.k8s.io';
const [STDIN, STDOUT, ERROR, RESIZE, CLOSE] = [0, 1, 3, 4, 255];
const PIECE = 1 << 18;
const HANDSHAKE = {
  ...{ Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' },
  ...{ 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Protocol': V5 },
};
const SWITCHED =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n';

let server: Standalone;
let agent: NodeAgent;
let api: Api;
let pod: string;

beforeAll(async () => {
  server = await startStandalone({ args: [`--feature-gates=${GATES}`, '--max-stream-message-bytes=1Mi'] });
  api = new Api(server);
  agent = await startNodeAgent();
  await agent.join(api, 'n');
  pod = await makePodOn(api, 'default', 'p', 'n');
});

afterAll(async () => {
  api?.close();
  await server?.stop();
  await agent?.stop();
});

beforeEach(() => {
  agent.asked.length = 0;
  agent.upgrade = servePodSessions;
  flooded.length = 0;
});

const open = (what: string, protocols = [V5]) => openWebSocket(server, `${pod}/${what}`, protocols);

const run = (command: readonly string[], streams = 'stdin=1&stdout=1') =>
  open(`exec?${streams}&${command.map((word) => `command=${encodeURIComponent(word)}`).join('&')}`);

const on = (channel: number, bytes: string | Buffer = ''): Buffer =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(bytes as string)]);

/** All bytes of a channel so far. */
const channel = ({ messages }: Opened, number: number): Buffer =>
  Buffer.concat(messages.filter(({ bytes }) => bytes[0] === number).map(({ bytes }) => bytes.subarray(1)));

const statusOf = (opened: Opened): unknown => JSON.parse(channel(opened, ERROR).toString());

const SUCCESS = { metadata: {}, status: 'Success' };

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('a command gets its input, and its end; the client the output and the status', async () => {
  const opened = await run(['cat']);
  expect(opened.protocol).toBe(V5);
  const bytes = randomBytes(8 << 20);
  for (let at = 0; at < bytes.length; at += PIECE) opened.client.send(on(STDIN, bytes.subarray(at, at + PIECE)));
  await expect.poll(() => channel(opened, STDOUT).length).toBe(bytes.length);
  expect(channel(opened, ERROR).length).toBe(0);
  // The half-close: without it the command would go on.
  opened.client.send(Buffer.from([CLOSE, STDIN]));
  expect(await opened.closed).toBe(1000);
  expect(sum(channel(opened, STDOUT))).toBe(sum(bytes));
  expect(statusOf(opened)).toEqual(SUCCESS);
  expect(agent.asked).toEqual(['POST /exec/default/p/c?command=cat&input=1&output=1']);
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('the first message is empty, and no stream is there that was not asked for', async () => {
  const opened = await run(['echo', 'a b'], 'stdout=1&stderr=1');
  opened.client.send(on(STDIN, 'nobody reads this'));
  expect(await opened.closed).toBe(1000);
  expect(opened.messages[0]?.bytes).toEqual(on(STDOUT));
  expect(channel(opened, STDOUT).toString()).toBe('echo a b\n');
});

test('sizes of the terminal, and attach', async () => {
  const opened = await run(['sizes'], 'stdin=1&stdout=1&stderr=1&tty=1');
  const size = '{"Width":80,"Height":24}\n';
  opened.client.send(on(RESIZE, size));
  await expect.poll(() => channel(opened, STDOUT).toString()).toBe(size);
  opened.client.send(Buffer.from([CLOSE, STDIN]));
  expect(await opened.closed).toBe(1000);
  const attached = await open('attach?stdout=1');
  expect(await attached.closed).toBe(1000);
  expect(statusOf(attached)).toEqual(SUCCESS);
});

test.each([
  ['exit', '7'],
  ['exit', '255'],
])('%s %s', async (...command) => {
  const opened = await run(command);
  expect(await opened.closed).toBe(1000);
  expect(statusOf(opened)).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: command[1] }] },
  });
});

test('a failure of the agent is told as one of the command', async () => {
  const told = async (opened: Opened) => {
    expect(opened.status).toBe(101);
    expect(await opened.closed).toBe(1000);
    return statusOf(opened) as { message: string };
  };
  const internal = { metadata: {}, status: 'Failure', reason: 'InternalError', code: 500 };
  expect(await told(await run(['break']))).toMatchObject({
    ...internal,
    message: expect.stringContaining('the connection to the agent ended'),
  });
  agent.upgrade = (_req, socket) =>
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 18\r\nConnection: close\r\n\r\npod does not exist');
  expect(await told(await run(['ls']))).toMatchObject({
    ...internal,
    message: 'Internal error occurred: unable to upgrade connection: pod does not exist',
  });
  await agent.join(api, 'gone');
  const status = { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
  await api.patch('/api/v1/nodes/gone/status', 'merge', { status });
  const lost = await makePodOn(api, 'default', 'lost', 'gone');
  const url = `https://${agent.address}:1/exec/default/lost/c?command=ls&output=1`;
  expect(await told(await openWebSocket(server, `${lost}/exec?command=ls&stdout=1`, [V5]))).toMatchObject({
    ...internal,
    message: `Internal error occurred: error sending request: Post "${url}": dial tcp ${agent.address}:1: connect: connection refused`,
  });
});

test('what is refused before the agent is asked is refused in HTTP', async () => {
  const { status, refusal } = await open('exec?container=x');
  expect([status, JSON.parse(refusal).reason]).toEqual([400, 'BadRequest']);
});

test('older subprotocols are passed on as they are', async () => {
  let offered: string | undefined;
  agent.upgrade = (req, socket) => {
    offered = req.headers['sec-websocket-protocol'];
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  };
  expect((await open('exec?command=ls', ['v4.channel.k8s.io'])).status).toBe(403);
  expect(offered).toBe('v4.channel.k8s.io');
});

test.each([
  [Buffer.from([CLOSE]), 1002],
  [Buffer.from([CLOSE, 9]), 1002],
  [Buffer.alloc((1 << 20) + 1), 1009],
])('a client that breaks the rules is left (%#)', async (message, code) => {
  const opened = await run(['cat']);
  opened.client.send(message);
  expect(await opened.closed).toBe(code);
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('a message in too many parts ends its session', async () => {
  const fragments = await run(['cat']);
  for (let at = 0; at < 257; at++) fragments.client.send('x', { fin: false });
  expect(await fragments.closed).toBe(1008);
  const { socket } = await openUpgraded(server, 'GET', `${pod}/exec?command=cat&stdin=1&stdout=1`, HANDSHAKE);
  let isOver = false;
  socket.once('close', () => {
    isOver = true;
  });
  socket.resume().write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4]));
  // Each write that is waited for is a record of its own.
  for (let at = 0; at < 4_000 && !isOver; at++) await new Promise((resolve) => socket.write('x', resolve));
  await expect.poll(() => isOver).toBe(true);
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('a client may ping while it does not read, and is answered once it does', async () => {
  const opened = await run(['flood', '64']);
  opened.client.pause();
  await settled(() => flooded.length);
  const last = new Promise<void>((resolve) =>
    opened.client.on('pong', (data: Buffer) => String(data) === 'last' && resolve()),
  );
  for (let at = 0; at < 1_000; at++) opened.client.ping('x');
  opened.client.ping('last');
  await settled(() => flooded.length);
  opened.client.resume();
  await last;
  expect(await opened.closed).toBe(1000);
  expect(channel(opened, STDOUT).length).toBe(64 << 20);
}, 60_000);

test.each(['close', 'terminate'] as const)('a client that leaves (%s) ends the agent’s side', async (how) => {
  const opened = await run(['cat']);
  await expect.poll(() => agent.connections.size).toBe(1);
  opened.client[how]();
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('a client that does not read stops the agent, and reads all of it later', async () => {
  const opened = await run(['flood', '256']);
  opened.client.pause();
  await settled(() => flooded.length);
  expect(flooded.length).toBeLessThan(64);
  opened.client.resume();
  expect(await opened.closed).toBe(1000);
  expect(channel(opened, STDOUT).length).toBe(256 << 20);
}, 60_000);

/** Resolves once a number has not changed for a second: that something does not happen shows only by waiting. */
async function settled(read: () => number): Promise<void> {
  let [before, since] = [read(), Date.now()];
  await expect
    .poll(
      () => {
        if (read() !== before) [before, since] = [read(), Date.now()];
        return Date.now() - since;
      },
      { timeout: 30_000, interval: 100 },
    )
    .toBeGreaterThan(1_000);
}

test('an agent that does not read stops the client', async () => {
  const opened = await run(['stall']);
  let sent = 0;
  const send = () => {
    sent++;
    opened.client.send(on(STDIN, Buffer.alloc(PIECE)), () => sent < 800 && send());
  };
  send();
  await settled(() => sent);
  expect(sent * PIECE).toBeLessThan(64 << 20);
  opened.client.terminate();
  for (const connection of agent.connections) connection.destroy();
}, 60_000);

test('100 at once', async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => run(['cat'])));
  for (const [number, { client }] of all.entries()) {
    client.send(on(STDIN, `number ${number}`));
    client.send(Buffer.from([CLOSE, STDIN]));
  }
  expect(await Promise.all(all.map(({ closed }) => closed))).toEqual(all.map(() => 1000));
  expect(all.map((each) => channel(each, STDOUT).toString())).toEqual(all.map((_each, number) => `number ${number}`));
  await expect.poll(() => agent.connections.size).toBe(0);
});

test('a tunnel carries bytes both ways as they are', async () => {
  let headers: Record<string, unknown> = {};
  agent.upgrade = (req, socket) => {
    headers = req.headers;
    socket.write(SWITCHED);
    socket.pipe(socket);
  };
  const { client, protocol, messages, closed } = await open('portforward?ports=80', ['SPDY/3.1+other.k8s.io', TUNNEL]);
  expect(protocol).toBe(TUNNEL);
  expect(headers).toMatchObject({
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': 'other.k8s.io, portforward.k8s.io',
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('sec-websocket'))).toEqual([]);
  const bytes = randomBytes(8 << 20);
  for (let at = 0; at < bytes.length; at += PIECE) client.send(bytes.subarray(at, at + PIECE));
  const back = () => Buffer.concat(messages.map((message) => message.bytes));
  await expect.poll(() => back().length).toBe(bytes.length);
  expect(sum(back())).toBe(sum(bytes));
  for (const connection of agent.connections) connection.end();
  expect(await closed).toBe(1000);
});

test('a tunnel takes no text, and an agent that refuses it is passed on', async () => {
  agent.upgrade = (_req, socket) => {
    socket.write(SWITCHED);
  };
  const { client, closed } = await open('portforward', [TUNNEL]);
  client.send('text');
  expect(await closed).toBe(1002);
  agent.upgrade = (_req, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsaid');
  expect(await open('portforward', [TUNNEL])).toMatchObject({ status: 403, refusal: 'said' });
  agent.upgrade = (_req, socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  expect((await open('portforward', [TUNNEL])).status).toBe(500);
});

test.each(['client', 'agent'])(
  'a tunnel stops one side while the other, the %s, does not read',
  async (stopped) => {
    const sent = new Promise<number>((resolve) => {
      agent.upgrade = (_req, socket) => {
        socket.pause();
        socket.write(SWITCHED);
        if (stopped === 'client') void flood(socket, 200).then(resolve);
      };
    });
    const { client } = await open('portforward', [TUNNEL]);
    if (stopped === 'client') {
      client.pause();
      expect(await sent).toBeLessThan(64);
    } else {
      let pieces = 0;
      const send = () => {
        pieces++;
        client.send(Buffer.alloc(PIECE), () => pieces < 800 && send());
      };
      send();
      await settled(() => pieces);
      expect(pieces * PIECE).toBeLessThan(64 << 20);
    }
    const closed = once(client, 'close');
    client.terminate();
    for (const connection of agent.connections) connection.destroy();
    await closed;
  },
  60_000,
);

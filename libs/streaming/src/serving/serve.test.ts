import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ProcessStreams, StreamSelection } from '@orch/container-runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CommandStreams, type StreamName } from '../spdy/command-streams.js';
import { controlFrame, dataHead, FIN, openingFrame, SYN_STREAM } from '../spdy/frames.js';
import { serveCommand, servePorts } from './serve.js';

/** Bytes that a process would write to a client that reads. */
const MOST_WRITTEN = 256 << 20;
/** Turns of the event loop in which a server that reads 64 KiB each would have read 256 MiB. */
const TURNS = 4_096;
const ALL: StreamSelection = { stdin: true, stdout: true, stderr: true, tty: false };

/** A process that does what the test says. */
class FakeProcess implements ProcessStreams {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly sizes: number[][] = [];
  closed = 0;
  end: (code: number) => void = () => undefined;
  readonly exit = new Promise<number>((resolve) => {
    this.end = (code) => {
      this.stdout.end();
      this.stderr.end();
      resolve(code);
    };
  });

  resize(columns: number, rows: number): void {
    this.sizes.push([columns, rows]);
  }

  close(): void {
    this.closed++;
    for (const each of [this.stdin, this.stdout, this.stderr]) each.destroy();
  }
}

let server: Server;
let port: number;
let fake: FakeProcess;
let selection: StreamSelection;
let creationMs: number;
let idleMs: number;
let target: number;
let portCount: number;
/** The connection that was taken last. */
let served: Socket | undefined;
const serving: Promise<unknown>[] = [];
const ends: (() => void)[] = [];

beforeEach(async () => {
  [fake, selection, creationMs, idleMs, portCount] = [new FakeProcess(), ALL, 30_000, 0, 1];
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  server.on('upgrade', (req, socket: Socket, head) => {
    const asked = { req, socket, head };
    served = socket;
    ends.push(() => socket.destroy());
    const connections = {
      connect: async (wanted: number) => {
        const opened = connect(wanted, '127.0.0.1');
        await once(opened, 'connect');
        return opened;
      },
    };
    const pod = { connections, fullName: 'p_ns', uid: 'u' };
    const times = { idleMs, creationMs };
    if (req.url === '/command') serving.push(serveCommand(asked, selection, fake, times));
    else serving.push(servePorts(asked, pod, new Array(portCount).fill(target), times));
  });
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  server.close();
  await Promise.all(serving.splice(0));
});

/** Asks for another protocol. */
function upgrade(path: string, headers: Record<string, string>): Promise<{ res: IncomingMessage; socket?: Socket }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      headers: { connection: 'Upgrade', ...headers },
    });
    sent.once('upgrade', (res, socket: Socket, head) => {
      socket.on('error', () => undefined);
      ends.push(() => socket.destroy());
      socket.unshift(head);
      resolve({ res, socket });
    });
    sent.once('response', (res) => resolve({ res }));
    sent.once('error', reject).end();
  });
}

const spdy = (path: string, protocol?: string) =>
  upgrade(path, { upgrade: 'SPDY/3.1', ...(protocol !== undefined && { 'x-stream-protocol-version': protocol }) });

/** Opens a session of a command, and collects what comes. */
async function command(names: readonly StreamName[], protocol = 'v4.channel.k8s.io') {
  const { res, socket } = await spdy('/command', protocol);
  const got: Partial<Record<StreamName, string>> = {};
  let over = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    over = resolve;
  });
  const streams = new CommandStreams(socket as Socket, new Set(names), {
    data: (name, bytes) => {
      got[name] = (got[name] ?? '') + bytes.toString();
    },
    ended: () => over(),
  });
  return { res, socket: socket as Socket, streams, got, ended };
}

describe('a command over SPDY', () => {
  it('has its streams, the end of its input, and its exit code', async () => {
    const { res, streams, got, ended: over } = await command(['error', 'stdin', 'stdout', 'stderr']);
    expect(res.headers['x-stream-protocol-version']).toBe('v4.channel.k8s.io');
    streams.send('stdin', Buffer.from('in'));
    streams.end('stdin');
    const ended = once(fake.stdin, 'end');
    const [input] = (await once(fake.stdin, 'data')) as [Buffer];
    expect(input.toString()).toBe('in');
    await ended;
    fake.stdout.write('out');
    fake.stderr.write('err');
    fake.end(3);
    await over;
    expect(got).toMatchObject({ stdout: 'out', stderr: 'err' });
    expect(JSON.parse(got.error ?? '')).toEqual({
      ...{ metadata: {}, status: 'Failure', reason: 'NonZeroExitCode' },
      message: 'command terminated with non-zero exit code: command terminated with exit code 3',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    await expect.poll(() => fake.closed).toBeGreaterThan(0);
  });

  it('tells success, and clients of the first protocols nothing but failures', async () => {
    const first = await command(['error', 'stdout', 'stdin', 'stderr']);
    fake.end(0);
    await first.ended;
    expect(first.got.error).toBe('{"metadata":{},"status":"Success"}');
    fake = new FakeProcess();
    const old = await command(['error', 'stdout', 'stdin', 'stderr'], 'v2.channel.k8s.io');
    fake.end(0);
    await old.ended;
    expect(old.got.error).toBeUndefined();
  });

  it('passes sizes of the terminal', async () => {
    selection = { stdin: true, stdout: true, stderr: true, tty: true };
    const { streams } = await command(['error', 'stdin', 'stdout', 'resize']);
    streams.send('resize', Buffer.from('{"Width":80,"Height":24}\n{"Width":'));
    streams.send('resize', Buffer.from('100,"Height":40}{"Width":-1,"Height":0}no{"Width":1,"Height":2}'));
    await expect
      .poll(() => fake.sizes)
      .toEqual([
        [80, 24],
        [100, 40],
      ]);
    fake.end(0);
  });

  it('stops reading a process whose client does not read', async () => {
    const { socket } = await command(['error', 'stdin', 'stdout', 'stderr']);
    socket.pause();
    let written = 0;
    const more = () => {
      while (written < MOST_WRITTEN && fake.stdout.write(Buffer.alloc(1 << 20))) written += 1 << 20;
    };
    fake.stdout.on('drain', more);
    more();
    let before = -1;
    const isStill = () => {
      const was = before;
      before = written;
      return was === written;
    };
    await expect.poll(isStill, { interval: 200 }).toBe(true);
    fake.stdout.off('drain', more);
    expect(written).toBeLessThan(32 << 20);
  });

  it('stops reading a client whose process does not read', async () => {
    const { streams } = await command(['error', 'stdin', 'stdout', 'stderr']);
    const piece = Buffer.alloc(1 << 20);
    for (let sent = 0; sent < 128; sent++) streams.send('stdin', piece);
    await expect.poll(() => fake.stdin.writableNeedDrain).toBe(true);
    // In each turn a server that reads would get a piece.
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(served?.bytesRead).toBeLessThan(64 << 20);
  });

  it('is killed when its client leaves', async () => {
    const { socket } = await command(['error', 'stdin', 'stdout', 'stderr']);
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await expect.poll(() => fake.closed).toBeGreaterThan(0);
  });

  it('ends when its client does not open its streams, or is silent', async () => {
    creationMs = 50;
    const late = await command(['error', 'stdout']);
    await late.ended;
    await expect.poll(() => fake.closed).toBeGreaterThan(0);
    creationMs = 30_000;
    [fake, idleMs] = [new FakeProcess(), 50];
    const silent = await command(['error', 'stdin', 'stdout', 'stderr']);
    await silent.ended;
    await expect.poll(() => fake.closed).toBeGreaterThan(0);
  });

  it('is refused where no protocol is agreed on, or none is asked for', async () => {
    expect((await spdy('/command', 'v9.channel.k8s.io')).res.statusCode).toBe(403);
    expect((await upgrade('/command', { upgrade: 'h2c' })).res.statusCode).toBe(400);
    await expect.poll(() => fake.closed).toBeGreaterThan(0);
  });

  it.each([
    ['a stream with an even number', openingFrame(2, { streamtype: 'error' }, true)],
    ['headers that are not compressed', controlFrame(SYN_STREAM, 0, Buffer.alloc(200, 'x'))],
    ['headers that are too long', openingFrame(1, { streamtype: 'x'.repeat(15_000), more: 'y'.repeat(3_000) }, true)],
    ['a frame that is too long', openingFrame(1, { streamtype: 'x'.repeat(60_000) }, true)],
    ['headers that are cut', controlFrame(SYN_STREAM, 0, Buffer.alloc(3))],
  ])('ends at %s', async (_name, bytes) => {
    const { socket } = await spdy('/command', 'v4.channel.k8s.io');
    socket?.resume().write(bytes);
    await once(socket as Socket, 'close');
    await expect.poll(() => fake.closed).toBeGreaterThan(0);
  });

  it('takes data of streams that there are not for nothing', async () => {
    const { socket, got, ended } = await command(['error', 'stdin', 'stdout', 'stderr']);
    socket.write(Buffer.concat([dataHead(99, FIN, 3), Buffer.from('abc')]));
    fake.end(0);
    await ended;
    expect(got.error).toContain('Success');
  });
});

describe('a command over WebSocket', () => {
  async function open(protocol: string | undefined) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/command`, protocol === undefined ? [] : [protocol]);
    ends.push(() => socket.terminate());
    const got: Record<string, string> = {};
    socket.on('message', (data: Buffer, isBinary) => {
      const channel = isBinary ? String(data[0]) : data.toString('latin1', 0, 1);
      const rest = isBinary ? data.subarray(1) : Buffer.from(data.toString('latin1', 1), 'base64');
      got[channel] = (got[channel] ?? '') + rest.toString();
    });
    await once(socket, 'open');
    return { socket, got, closed: once(socket, 'close') };
  }

  it.each(['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'])('speaks %s', async (protocol) => {
    const { socket, got, closed } = await open(protocol);
    if (protocol.includes('base64')) socket.send(`0${Buffer.from('in').toString('base64')}`);
    else socket.send(Buffer.from('\0in'));
    const [piece] = (await once(fake.stdin, 'data')) as [Buffer];
    expect(piece.toString()).toBe('in');
    if (protocol.startsWith('v5')) {
      socket.send(Buffer.from([255, 0]));
      await once(fake.stdin, 'end');
    }
    fake.stdout.write('out');
    fake.stderr.write('err');
    fake.end(2);
    await closed;
    expect(got).toMatchObject({ 1: 'out', 2: 'err' });
    expect(got[3]).toContain('"reason":"ExitCode","message":"2"');
  });

  it('tells clients without a protocol a failure in words, and success not at all', async () => {
    const { got, closed } = await open(undefined);
    fake.end(4);
    await closed;
    expect(got[3]).toBe('command terminated with non-zero exit code: command terminated with exit code 4');
  });
});

describe('ports', () => {
  let echo: ReturnType<typeof createTcp>;
  beforeEach(async () => {
    echo = createTcp({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket)).listen(
      0,
      '127.0.0.1',
    );
    await once(echo, 'listening');
    target = (echo.address() as AddressInfo).port;
    ends.push(() => echo.close());
  });

  it('are forwarded over SPDY, many connections at a time', async () => {
    const { socket } = (await spdy('/ports', 'portforward.k8s.io')) as { socket: Socket };
    const count = 20;
    for (let index = 0; index < count; index++) {
      const headers = { port: String(target), requestid: String(index) };
      socket.write(openingFrame(4 * index + 1, { streamtype: 'error', ...headers }, index === 0));
      socket.write(openingFrame(4 * index + 3, { streamtype: 'data', ...headers }, false));
      socket.write(Buffer.concat([dataHead(4 * index + 3, FIN, 5), Buffer.from('hello')]));
    }
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    await expect.poll(() => text.split('hello').length - 1).toBe(count);
  });

  it('that nothing listens on are an error', async () => {
    echo.close();
    await once(echo, 'close');
    const { socket } = (await spdy('/ports')) as { socket: Socket };
    const headers = { port: String(target), requestid: '0' };
    socket.write(openingFrame(1, { streamtype: 'error', ...headers }, true));
    socket.write(openingFrame(3, { streamtype: 'data', ...headers }, false));
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    await expect.poll(() => text).toContain(`error forwarding port ${target} to pod p_ns, uid u: `);
  });

  it('are forwarded over WebSocket', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ports`, ['v4.channel.k8s.io']);
    ends.push(() => socket.terminate());
    const got: string[] = [];
    socket.on('message', (data: Buffer) => got.push(data.toString('latin1')));
    await once(socket, 'open');
    socket.send(Buffer.from('\0hello'));
    const name = Buffer.alloc(2);
    name.writeUInt16LE(target);
    await expect.poll(() => got).toEqual([`\0${name.toString('latin1')}`, `\x01${name.toString('latin1')}`, '\0hello']);
  });

  it('have channels of their own as text, also behind the tenth', async () => {
    portCount = 6;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ports`, ['v4.base64.channel.k8s.io']);
    ends.push(() => socket.terminate());
    const channels = new Set<string>();
    socket.on('message', (bytes: Buffer) => channels.add(bytes.toString()[0] ?? ''));
    await expect.poll(() => [...channels].sort().join('')).toBe('0123456789:;');
  });

  it.each([
    ['v4.channel.k8s.io', 129],
    ['v4.base64.channel.k8s.io', 41],
  ])('are refused over %s where there are more than channels', async (protocol, count) => {
    portCount = count;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ports`, [protocol]);
    await expect(once(socket, 'open')).rejects.toThrow('400');
  });
});

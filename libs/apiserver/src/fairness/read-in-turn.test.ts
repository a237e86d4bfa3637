import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { ensurePki, type Pki } from '@orch/authentication';
import { ReadingTurns } from '@orch/flowcontrol';
import { namesOf } from '@orch/machinery';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Listeners, openListeners } from '../sockets/listeners.js';
import { CONNECTION_LIMITS } from '../testing/connection-limits.js';
import { contextOf, openServer, type TestServer } from '../testing/test-server.js';
import { readInTurn } from './read-in-turn.js';

const PER_ROUND = 4;
const NOISE = 64;
const HOST = '127.0.0.1';
/** Is bound by nothing. */
const EXEMPT = 'exempt';

let certDir: string;
let pki: Pki;
const ends: (() => unknown)[] = [];
beforeAll(async () => {
  certDir = await mkdtemp(join(tmpdir(), 'read-in-turn-'));
  pki = await ensurePki({ certDir, bindAddress: HOST, names: namesOf('orch'), extraHosts: [] });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => rm(certDir, { recursive: true }));

interface Served {
  readonly turns: ReadingTurns;
  /** By the names of their callers, in the order in which they were answered. */
  readonly answered: readonly string[];
  /** Connections of this side. */
  readonly sockets: ReadonlySet<Socket>;
  open(user: string): Promise<Client>;
  /** Whoever waits does so until somebody else has asked for something, and no answer leaves before so many are to. */
  still(requests: number): void;
  /** Time goes on. */
  goOn(): void;
}

/** Looks after those who wait, unless it is told not to. */
class Looks {
  #isStill = false;
  #then: (() => void) | undefined;

  readonly after = (ms: number, then: () => void): (() => void) => {
    if (this.#isStill) this.#then = then;
    else setTimeout(then, ms);
    return () => undefined;
  };

  still(): void {
    this.#isStill = true;
  }

  goOn(): void {
    this.#isStill = false;
    this.#then?.();
  }
}

/** Lets everybody through, or nobody before there are enough of them. */
class Gate {
  #missing = 0;
  #open = Promise.resolve();
  #go: () => void = () => undefined;

  close(count: number): void {
    this.#missing = count;
    this.#open = new Promise((resolve) => {
      this.#go = resolve;
    });
  }

  pass(): Promise<void> {
    if (--this.#missing === 0) this.#go();
    return this.#open;
  }
}

/** Answers whoever asks by their name, behind the stage; that is their flow as well. */
function answers(turns: ReadingTurns, gate: Gate, answered: string[], sockets: Set<Socket>): RequestListener {
  const stage = readInTurn(turns);
  return async (req, res) => {
    const user = String(req.headers['x-user']);
    const ctx = contextOf(req, res, { flow: user === EXEMPT ? undefined : user });
    if (req.httpVersionMajor === 1 && !sockets.has(req.socket)) {
      sockets.add(req.socket);
      req.socket.once('close', () => sockets.delete(req.socket));
    }
    await stage(ctx);
    let body = '';
    for await (const piece of req) body += piece;
    await gate.pass();
    answered.push(user);
    res.end(`${user}:${body};`);
  };
}

async function serve(kind: Kind, idleMs = 60_000): Promise<Served & { readonly port: number }> {
  const [looks, gate] = [new Looks(), new Gate()];
  const turns = new ReadingTurns({ perRound: PER_ROUND, after: looks.after });
  const [answered, sockets] = [[] as string[], new Set<Socket>()];
  const listener = answers(turns, gate, answered, sockets);
  const server = kind === 'TLS' ? await secure(listener, idleMs) : await openServer(listener);
  ends.push(() => server.close());
  const { port } = server;
  return {
    ...{ turns, answered, sockets, port, open: (user) => openClient(kind, port, user) },
    still(requests) {
      looks.still();
      gate.close(requests);
    },
    goOn: () => looks.goOn(),
  };
}

async function secure(listener: RequestListener, idleMs: number): Promise<Pick<TestServer, 'port' | 'close'>> {
  const listeners: Listeners = await openListeners({
    listener,
    credentials: { serving: pki.serving, clientCa: pki.ca.cert },
    bindAddress: HOST,
    securePort: 0,
    insecurePort: 0,
    limits: { ...CONNECTION_LIMITS, idleMs },
    onRefused: () => undefined,
    http2MaxStreams: 100,
    watchBufferBytes: 48 << 10,
  });
  return { port: listeners.securePort, close: () => listeners.close() };
}

const KINDS = ['plain', 'TLS'] as const;
type Kind = (typeof KINDS)[number];

interface Client {
  readonly socket: Socket;
  /** Answers so far. */
  readonly count: () => number;
  send(body?: string): void;
}

async function openClient(kind: Kind, port: number, user: string): Promise<Client> {
  const socket = kind === 'TLS' ? connectTls({ port, host: HOST, ca: pki.ca.cert }) : connect(port, HOST);
  ends.push(() => socket.destroy());
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
  });
  await once(socket, kind === 'TLS' ? 'secureConnect' : 'connect');
  const send = (body = '') =>
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nX-User: ${user}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  return { socket, count: () => text.split(`${user}:`).length - 1, send };
}

const openMany = (kind: Kind, port: number, user: string) =>
  Promise.all(Array.from({ length: NOISE }, () => openClient(kind, port, user)));

const sum = (clients: readonly Client[]) => clients.reduce((all, { count }) => all + count(), 0);

/** Has many connections of one flow be answered at once, so that most of them wait: until time goes on. */
async function crowd(served: Awaited<ReturnType<typeof serve>>, kind: Kind): Promise<Client[]> {
  const clients = await openMany(kind, served.port, 'noisy');
  served.still(NOISE);
  for (const client of clients) client.send();
  await expect.poll(() => [sum(clients), served.turns.waiting]).toEqual([NOISE, NOISE - PER_ROUND]);
  return clients;
}

describe.each(KINDS)('connections of HTTP/1.1, %s', (kind) => {
  it('of a flow that asks on many at a time are read from in turns: who asks behind them all is answered before most', async () => {
    const served = await serve(kind);
    const clients = await crowd(served, kind);
    const polite = await served.open('polite');
    for (const client of [...clients, polite]) client.send();
    served.goOn();
    await expect.poll(() => polite.count()).toBe(1);
    expect(served.answered.indexOf('polite') - NOISE).toBeLessThanOrEqual(4 * PER_ROUND);
    await expect.poll(() => sum(clients)).toBe(2 * NOISE);
  });

  it('are all answered, and nobody waits who has nothing to say', async () => {
    const served = await serve(kind);
    const clients = await crowd(served, kind);
    served.goOn();
    for (let time = 2; time <= 10; time++) {
      for (const client of clients) client.send();
      await expect.poll(() => sum(clients)).toBe(time * NOISE);
    }
    await expect.poll(() => served.turns.waiting).toBe(0);
  });

  it('that are ended by their clients while they wait are let go', async () => {
    const served = await serve(kind);
    const clients = await crowd(served, kind);
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => served.sockets.size).toBeLessThan(NOISE);
    served.goOn();
    await expect.poll(() => served.sockets.size).toBe(0);
    expect(served.turns.waiting).toBe(0);
  });

  it('may carry several requests at once, and bodies that come in parts', async () => {
    const served = await serve(kind);
    const clients = await openMany(kind, served.port, 'noisy');
    for (const client of clients) for (let time = 0; time < 3; time++) client.send('x');
    await expect.poll(() => sum(clients)).toBe(3 * NOISE);
    for (const { socket } of clients)
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nX-User: noisy\r\nContent-Length: 4\r\n\r\nab');
    for (let round = 0; round < 10; round++) await nextRound();
    for (const { socket } of clients) socket.write('cd');
    await expect.poll(() => sum(clients)).toBe(4 * NOISE);
  });

  it('are read from at once where the flow is bound by nothing', async () => {
    const served = await serve(kind);
    const clients = await openMany(kind, served.port, EXEMPT);
    for (const client of clients) client.send();
    let most = 0;
    while (sum(clients) < NOISE) {
      await nextRound();
      most = Math.max(most, served.turns.waiting);
    }
    expect(most).toBe(0);
  });

  it('are all read from when the server is about to end', async () => {
    const served = await serve(kind);
    const clients = await crowd(served, kind);
    for (const client of clients.slice(PER_ROUND)) client.send();
    for (let round = 0; round < 10; round++) await nextRound();
    expect(sum(clients)).toBeLessThanOrEqual(NOISE + PER_ROUND);
    served.turns.stop();
    await expect.poll(() => sum(clients)).toBe(2 * NOISE - PER_ROUND);
  });
});

describe('connections over TLS', () => {
  it('that wait are closed when nothing is asked for too long, as others are', async () => {
    const served = await serve('TLS', 100);
    await crowd(served, 'TLS');
    await expect.poll(() => served.sockets.size, { timeout: 10_000 }).toBe(0);
    expect(served.turns.waiting).toBe(0);
  });

  it('that speak HTTP/2 are left alone', async () => {
    const served = await serve('TLS');
    const session = connectHttp2(`https://${HOST}:${served.port}`, { ca: pki.ca.cert });
    ends.push(() => session.destroy());
    const ask = async () => {
      const stream = session.request({ 'x-user': 'noisy' });
      stream.resume();
      await once(stream, 'close');
    };
    await Promise.all(Array.from({ length: NOISE }, ask));
    expect([served.answered.length, served.turns.waiting]).toEqual([NOISE, 0]);
  });
});

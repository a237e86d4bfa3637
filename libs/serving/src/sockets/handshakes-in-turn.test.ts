import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { connect } from 'node:tls';
import { ensurePki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { CONNECTION_LIMITS } from '@orch/testing';
import { expect, it } from 'vitest';
import { handshakesInTurn } from './handshakes-in-turn.js';
import { openListeners } from './listeners.js';

const HOST = '127.0.0.1';

/** A server to which connections come from wherever is said, and those that it has begun with. */
function serverOf(perRound: number, limitMs = 10_000) {
  const begun: string[] = [];
  const clock = { now: 1_000 };
  const server = createServer((socket) => begun.push(String(socket.remoteAddress)));
  handshakesInTurn(server, perRound, limitMs, () => clock.now);
  const come = (address: string): Socket => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: address });
    server.emit('connection', socket);
    return socket;
  };
  /** Rounds in which nobody comes. */
  const rounds = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round++) await nextRound();
  };
  return { come, begun, clock, rounds };
}

it('handshakes begin so many in a round, by turns of addresses, however many one has open', async () => {
  const { come, begun, rounds } = serverOf(2);
  for (const address of ['a', 'a', 'a', 'a', 'a', 'b', 'c']) come(address);
  expect(begun).toEqual(['a']);
  await rounds(2);
  expect(begun.slice(1)).toEqual(['a', 'b']);
  come('d');
  await rounds(2);
  expect(begun.slice(3)).toEqual(['c', 'a']);
  await rounds(1);
  expect(begun.slice(5)).toEqual(['d', 'a']);
  await rounds(1);
  expect(begun.slice(7)).toEqual(['a']);
});

it('while connections come they are let in before handshakes go on, for a while', async () => {
  const { come, begun, clock, rounds } = serverOf(2);
  come('a');
  for (let count = 0; count < 50; count++) {
    come('b');
    await rounds(1);
  }
  expect(begun).toEqual(['a']);
  clock.now += 8;
  come('c');
  await rounds(1);
  expect(begun).toEqual(['a', 'b', 'c']);
  come('d');
  await rounds(1);
  expect(begun).toHaveLength(3);
  await rounds(1);
  expect(begun.slice(3)).toEqual(['b', 'd']);
});

it('one that comes when nobody else has for a while begins at once', () => {
  const { come, begun, clock } = serverOf(2);
  come('a');
  clock.now += 8;
  come('b');
  expect(begun).toEqual(['a', 'b']);
});

it('connections that end or fail while they wait are forgotten', async () => {
  const { come, begun, rounds } = serverOf(1);
  come('a');
  const [gone, failed] = [come('b'), come('b')];
  come('c');
  gone.destroy();
  failed.destroy(new Error('reset'));
  await new Promise((resolve) => failed.once('close', resolve));
  await rounds(5);
  expect(begun).toEqual(['a', 'c']);
});

it('whoever has closed is not waited for, though what was said before has not been read, nor who says too much', async () => {
  const { come, begun, rounds } = serverOf(1);
  come('a');
  const [gone, loud, there] = [come('b'), come('b'), come('c')];
  gone.push('hello');
  gone.push(null);
  loud.push(Buffer.alloc(30_000));
  there.push('hello');
  await rounds(6);
  expect(begun).toEqual(['a', 'c']);
  expect([gone, loud, there].map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
});

it('connections that have waited for too long are closed, whoever comes meanwhile', async () => {
  const { come, begun, clock, rounds } = serverOf(1, 10_000);
  come('a');
  const waiting = Array.from({ length: 1_000 }, () => come('b'));
  clock.now += 5_000;
  const later = come('b');
  clock.now += 5_001;
  for (let count = 0; count < 12; count++) {
    come('c');
    await rounds(1);
  }
  expect(waiting.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(990);
  expect(later.destroyed).toBe(false);
  await rounds(20);
  expect(begun.filter((site) => site === 'b').length).toBeLessThan(10);
});

it('turns are of sites: all addresses of an IPv6 network have one together', async () => {
  const { come, begun, rounds } = serverOf(2);
  for (const address of ['x', '2001:db8::1', '2001:db8::2', '2001:db8::3', '::ffff:10.0.0.1']) come(address);
  await rounds(2);
  expect(begun).toEqual(['x', '2001:db8::1', '::ffff:10.0.0.1']);
});

it('handshakes begin as they come where nothing else is wanted', () => {
  const { come, begun } = serverOf(0);
  for (let count = 0; count < 10; count++) come('a');
  expect(begun).toHaveLength(10);
});

it('clients that come all at once are all answered, whatever they have said before their turn', async () => {
  const certDir = await mkdtemp(join(tmpdir(), 'handshakes-'));
  const pki = await ensurePki({ certDir, bindAddress: HOST, names: namesOf('orch'), extraHosts: [] });
  const listeners = await openListeners({
    listener: (_req, res) => void res.end('ok'),
    credentials: { serving: pki.serving, clientCa: pki.ca.cert },
    bindAddress: HOST,
    securePort: 0,
    insecurePort: 0,
    limits: { ...CONNECTION_LIMITS, handshakesPerRound: 1 },
    onRefused: () => undefined,
    http2MaxStreams: 100,
    watchBufferBytes: 48 << 10,
  });
  const ask = async (): Promise<string> => {
    const socket = connect({ port: listeners.securePort, host: HOST, ca: pki.ca.cert });
    socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const piece of socket) text += piece;
    return text;
  };
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  expect(answers.filter((text) => text.startsWith('HTTP/1.1 200'))).toHaveLength(100);
  await listeners.close();
  await rm(certDir, { recursive: true });
});

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Listeners, openListeners } from './listeners.js';

let certDir: string;
let pki: Pki;
let listeners: Listeners | undefined;
const sockets: TLSSocket[] = [];
beforeAll(async () => {
  certDir = await mkdtemp(join(tmpdir(), 'listeners-'));
  pki = await ensurePki({ certDir, bindAddress: '127.0.0.1', names: namesOf('orch'), extraHosts: [] });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listeners?.close();
  listeners = undefined;
});
afterAll(() => rm(certDir, { recursive: true }));

/** A connection to a server, and what has come over it. */
async function open(listener: RequestListener): Promise<{ socket: TLSSocket; received: () => string }> {
  const bindAddress = '127.0.0.1';
  listeners = await openListeners({
    listener,
    pki,
    clientCa: pki.ca.cert,
    bindAddress,
    securePort: 0,
    insecurePort: 0,
    http2MaxStreams: 100,
  });
  const socket = connect({ port: listeners.securePort, host: bindAddress, ca: pki.ca.cert });
  sockets.push(socket);
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'secureConnect');
  return { socket, received: () => text };
}

describe('what is not HTTP', () => {
  it.each(['garbage\r\n\r\n', 'GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n', 'GET / HTTP/1.1\r\nA: \x01\x02\r\n\r\n'])(
    'gets an answer that is: %j',
    async (bytes) => {
      const { socket, received } = await open((_req, res) => res.end());
      socket.write(bytes);
      await once(socket, 'close');
      expect(received()).toMatch(/^HTTP\/1.1 400 .*"kind":"Status".*"reason":"BadRequest"/s);
    },
  );

  it('but has too large a head is told so', async () => {
    const { socket, received } = await open((_req, res) => res.end());
    socket.write(`GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`);
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1.1 431 .*"kind":"Status".*"code":431/s);
  });

  it('gets none in the middle of another answer', async () => {
    const { socket, received } = await open((_req, res) => {
      res.writeHead(200, { 'Transfer-Encoding': 'chunked' });
      res.write('a stream');
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(received).toContain('a stream');
    socket.write('garbage\r\n\r\n');
    await once(socket, 'close');
    expect(received().match(/HTTP\/1.1/g)).toHaveLength(1);
  });
});

describe('close', () => {
  it('lets idle connections go and waits for busy ones', async () => {
    let finish: (() => void) | undefined;
    const { socket, received } = await open((_req, res) => {
      finish = () => void res.end('done');
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => finish).toBeDefined();
    const closed = listeners?.close();
    listeners = undefined;
    finish?.();
    await closed;
    expect(received()).toContain('done');
  });
});

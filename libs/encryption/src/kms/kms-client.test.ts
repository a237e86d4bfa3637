import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKms } from '../testing/index.js';
import { KmsClient } from './kms-client.js';

const POLL = { timeout: 30_000 };
/** Of what takes its whole time where it does not fail at once: longer than tests may take. */
const LONG_MS = 600_000;

let dir: string;
let kms: FakeKms;
let clients: KmsClient[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-grpc-'));
  kms = new FakeKms(join(dir, 'kms.sock'));
  await kms.start();
});

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await kms.stop();
  rmSync(dir, { recursive: true, force: true });
});

function clientOf(endpoint = kms.endpoint, timeout = LONG_MS): KmsClient {
  const client = new KmsClient({ name: 'vault', endpoint, timeout, observer: {} });
  clients.push(client);
  return client;
}

/** A socket on which nobody speaks gRPC. */
async function listening(path: string, onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

describe('the connection to a key management service', () => {
  it('is one for all calls, however many come before it is there, and ends as it is closed', async () => {
    const client = clientOf();
    await Promise.all(Array.from({ length: 200 }, () => client.status()));
    expect(kms.connections).toBe(1);
    client.close();
    await expect.poll(() => kms.connections, POLL).toBe(0);
    await expect(client.status()).rejects.toMatchObject({ code: 'Canceled' });
  });

  it('ends as well where it is closed on its way, and so do the calls that wait for it', async () => {
    const client = clientOf();
    const calls = Array.from({ length: 20 }, () => client.status());
    client.close();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'Canceled' });
    await clientOf().status();
    expect(kms.connections).toBe(1);
    expect(kms.calls).toEqual(['Status']);
  });

  it('ends the calls as well where it is closed on its way to who never speaks', async () => {
    const path = join(dir, 'mute.sock');
    const sockets = new Set<Socket>();
    const server = await listening(path, (socket) => void sockets.add(socket.resume()));
    const client = clientOf(`unix://${path}`);
    const call = client.status();
    await expect.poll(() => sockets.size, POLL).toBe(1);
    client.close();
    await expect(call).rejects.toMatchObject({ code: 'Canceled' });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is tried again at once where who listens closes it', async () => {
    const path = join(dir, 'closing.sock');
    let met = 0;
    const server = await listening(path, (socket) => {
      met++;
      socket.destroy();
    });
    const call = clientOf(`unix://${path}`).status();
    await expect.poll(() => met, POLL).toBeGreaterThan(2);
    await new Promise((resolve) => server.close(resolve));
    kms = new FakeKms(path);
    await kms.start();
    await expect(call).resolves.toMatchObject({ healthz: 'ok' });
  });

  it('that cannot be had in time is a failure that says so', async () => {
    const client = clientOf(`unix://${join(dir, 'none.sock')}`, 150);
    await expect(client.status()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it.each(['refused', 'goaway'] as const)(
    'that turns a call away (%s) is no failure: it is asked once more',
    async (how) => {
      const client = clientOf();
      await client.status();
      kms.turnsAway = how;
      await expect(client.status()).resolves.toMatchObject({ healthz: 'ok' });
      expect(kms.calls).toEqual(['Status', 'Status']);
      await expect.poll(() => kms.connections, POLL).toBe(1);
    },
  );

  it('lets what is under way go on where another call was turned away', async () => {
    const client = clientOf();
    kms.hanging.add('Decrypt');
    const hangs = client.decrypt({ ciphertext: Buffer.alloc(1), keyId: 'key-1', annotations: new Map() });
    await expect.poll(() => kms.calls, POLL).toEqual(['Decrypt']);
    kms.turnsAway = 'refused';
    await client.status();
    expect(kms.connections).toBe(1);
    const outcome = expect(hangs).rejects.toMatchObject({ code: 'Canceled' });
    client.close();
    await outcome;
    await expect.poll(() => kms.connections, POLL).toBe(0);
  });

  it('may be over an abstract socket', async () => {
    const name = `@orch-kms-${process.pid}`;
    const server = createHttp2Server();
    server.on('stream', (stream) => stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true }));
    await new Promise<void>((resolve) => server.listen(`\0${name.slice(1)}`, resolve));
    const client = clientOf(`unix:///${name}`);
    await expect(client.status()).rejects.toMatchObject({ code: 'NotFound' });
    client.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it('carries no answers of more than 1 MiB, and 1,000 characters of an error', async () => {
    const path = join(dir, 'long.sock');
    const server = createHttp2Server();
    const head = { ':status': 200, 'content-type': 'application/grpc' };
    server.on('stream', (stream, headers) => {
      if (String(headers[':path']).endsWith('Status'))
        return stream.respond({ ...head, 'grpc-status': '3', 'grpc-message': 'x'.repeat(5_000) }, { endStream: true });
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(2 << 20, 1);
      stream.on('error', () => undefined).respond(head);
      stream.write(Buffer.concat([prefix, Buffer.alloc(2 << 20)]));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const client = clientOf(`unix://${path}`);
    await expect(client.encrypt(Buffer.alloc(32))).rejects.toMatchObject({ code: 'ResourceExhausted' });
    await expect(client.status()).rejects.toMatchObject({ description: 'x'.repeat(1_000) });
    client.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

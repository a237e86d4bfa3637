import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BatchingBackend } from '../backends/batching.js';
import { eventOf } from '../testing/events.js';
import { WebhookSink } from './webhook-sink.js';

let dir: string;
let pki: Pki;
const servers: Server[] = [];
const sinks: WebhookSink[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audit-webhook-'));
  pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: namesOf('orch') });
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => rm(dir, { recursive: true }));

interface Seen {
  readonly path: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly list: { readonly kind: string; readonly apiVersion: string; readonly items: readonly { auditID: string }[] };
}

/** A server of events that answers with these codes in turn, the last for ever; 0 never answers. */
async function receiving(...codes: number[]): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const { cert, key } = pki.serving;
  const server = createServer({ cert, key }, (req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      seen.push({ path: req.url, headers: req.headers, list: JSON.parse(Buffer.concat(pieces).toString()) });
      const code = codes[Math.min(seen.length, codes.length) - 1] ?? 200;
      if (code !== 0) res.writeHead(code, { 'Retry-After': '0' }).end('{}');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, seen };
}

async function sinkTo(port: number, path = '/events', ca = pki.ca.cert): Promise<WebhookSink> {
  const configFile = join(dir, `config-${port}`);
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: {
          server: `https://127.0.0.1:${port}${path}`,
          'certificate-authority-data': Buffer.from(ca).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: { token: 'secret' } }],
  };
  await writeFile(configFile, JSON.stringify(config));
  const sink = await WebhookSink.open({ configFile, names: namesOf('orch'), initialBackoffMs: 1 });
  sinks.push(sink);
  return sink;
}

describe('a webhook', () => {
  it.each(['/events', '/', ''])('is sent lists of events, at the path %j of its kubeconfig', async (path) => {
    const { port, seen } = await receiving(200);
    await (await sinkTo(port, path)).write([eventOf('1'), eventOf('2', 5, 'Request')]);
    expect(seen).toMatchObject([
      {
        path: path || '/',
        headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
        list: {
          kind: 'EventList',
          apiVersion: 'audit.orch.io/v1',
          items: [{ auditID: '1' }, { requestObject: 'xxxxx' }],
        },
      },
    ]);
  });

  it('is asked again where it refuses, five times in all', async () => {
    const refusing = await receiving(500, 429, 403, 200);
    await (await sinkTo(refusing.port)).write([eventOf('1')]);
    expect(refusing.seen).toHaveLength(4);
    const down = await receiving(500);
    await expect((await sinkTo(down.port)).write([eventOf('1')])).rejects.toThrow();
    expect(down.seen).toHaveLength(5);
  });

  it('that is not there, or is somebody else, fails', async () => {
    const { port, seen } = await receiving(200);
    await expect((await sinkTo(port, '/events', pki.proxyCa.cert)).write([eventOf('1')])).rejects.toThrow();
    expect(seen).toEqual([]);
    servers.splice(0)[0]?.close();
    await expect((await sinkTo(port)).write([eventOf('1')])).rejects.toThrow();
  });

  it('that never answers holds nobody up in batch mode, and what it did not take is counted at the end', async () => {
    const { port, seen } = await receiving(0);
    const sink = await sinkTo(port);
    const lost: [string, number][] = [];
    const settings = { bufferSize: 3, bufferBytes: 1 << 20, maxSize: 2, maxWaitMs: 0, concurrency: 1 };
    const backend = new BatchingBackend(
      sink,
      settings,
      (plugin, count) => void lost.push([plugin, count]),
      systemClock,
    );
    for (const name of ['1', '2']) backend.submit(eventOf(name));
    await expect.poll(() => seen.length).toBe(1);
    for (const name of ['3', '4', '5', '6']) expect(backend.submit(eventOf(name))).toBeUndefined();
    expect(lost).toEqual([['buffered', 1]]);
    await sink.close();
    await backend.close();
    const all = lost.reduce((sum, [, count]) => sum + count, 0);
    expect(all).toBe(6);
  });
});

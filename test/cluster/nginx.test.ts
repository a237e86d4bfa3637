import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findPrograms, freePorts, loadBalancer, type ManagedProcess } from '../../tools/up/index.js';

/** A request that a backend received. */
interface Asked {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PATH = '/api/v1/namespaces/default/configmaps/a';
const WRITES = ['PUT', 'DELETE', 'POST', 'PATCH'];
/** More than nginx reads before it asks a server. */
const LARGE = 'x'.repeat(1 << 20);

let dir: string;
let pki: Pki;
let alive: number;
let breaking: number;
let balancer: ManagedProcess;
let port: number;
const servers: Server[] = [];
/** Requests received by the working backend, and by the one that cuts each connection after the request. */
const asked: { alive: Asked[]; breaking: Asked[] } = { alive: [], breaking: [] };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-nginx-'));
  pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('kubernetes') });
  [alive = 0, breaking = 0] = await freePorts(2);
  const lives = await listen(alive, async (req, answer) => {
    asked.alive.push(await whole(req));
    answer(200);
  });
  const breaks = await listen(breaking, async (req) => {
    asked.breaking.push(await whole(req));
    req.socket.destroy();
  });
  servers.push(lives, breaks);
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  asked.alive = [];
  asked.breaking = [];
});
afterEach(() => balancer.stop());

const whole = async (req: IncomingMessage): Promise<Asked> => ({
  method: req.method,
  headers: req.headers,
  body: await text(req),
});

async function listen(port: number, take: (req: IncomingMessage, answer: (code: number) => void) => unknown) {
  const { cert, key } = pki.serving;
  const server = createServer({ cert, key }, (req, res) => void take(req, (code) => res.writeHead(code).end('{}')));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

/** nginx before the server that lives and another one: of two requests that are new to it, each is sent to one of them first. */
async function balance(other: number): Promise<void> {
  const [at = 0, healthPort = 0] = await freePorts(2);
  const files = { certFile: pki.serving.certFile, keyFile: pki.serving.keyFile, caFile: pki.ca.certFile };
  const [one, two] = [`127.0.0.1:${other}`, `127.0.0.1:${alive}`];
  const behind = { apiServers: [one, two], gateways: [two], healthPort };
  const place = { dir: mkdtempSync(join(dir, 'nginx-')), port: at, detached: false };
  const settings = { ...place, ...files, ...behind, proxyCertFile: pki.proxy.certFile };
  port = at;
  balancer = await loadBalancer('nginx', settings, findPrograms()).start();
}

/** The status of an answer, and its body. */
function ask(method: string, body = '', headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const length = body !== '' && { 'Content-Length': String(body.length) };
    const options = { port, path: PATH, method, ca: pki.ca.cert, headers: { ...length, ...headers }, agent: false };
    const sent = request(options, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, body: await text(answer) }),
    );
    sent.on('error', reject).end(body);
  });
}

const twice = async (method: string, body: string) => [await ask(method, body), await ask(method, body)];
const EACH = [
  ...WRITES.flatMap((method) => ['', '{"a":1}'].map((body) => [method, body.length, body] as const)),
  ['PUT', LARGE.length, LARGE] as const,
];

describe('before a server that is down', () => {
  beforeEach(async () => {
    const [down = 0] = await freePorts(1);
    await balance(down);
  });

  test.each([...EACH, ['GET', 0, ''] as const])('%s with %i bytes is sent to another', async (method, _, body) => {
    expect((await twice(method, body)).map(({ status }) => status)).toEqual([200, 200]);
    expect(asked.alive.map((each) => [each.method, each.body.length])).toEqual(Array(2).fill([method, body.length]));
  });

  test.each(['PUT', 'DELETE'])('%s comes there as it was sent', async (method) => {
    await ask(method, '{"a":1}', {
      Authorization: 'Bearer secret',
      'Content-Type': 'application/json',
      'X-Orch-Method': 'PATCH',
      'X-Forwarded-For': '192.0.2.1',
    });
    const [{ headers, ...first } = expect.unreachable()] = asked.alive;
    expect(first).toEqual({ method, body: '{"a":1}' });
    expect(headers).toMatchObject({
      authorization: 'Bearer secret',
      'content-type': 'application/json',
      'content-length': '7',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      host: 'localhost',
    });
    expect(headers).not.toHaveProperty('x-orch-method');
  });
});

describe('before a server that breaks connections behind requests', () => {
  beforeEach(() => balance(breaking));

  test.each(EACH)('%s with %i bytes is not sent again, as it may have been done', async (method, _, body) => {
    const [refused, done] = (await twice(method, body)).sort((a, b) => b.status - a.status);
    expect([refused?.status, done?.status]).toEqual([503, 200]);
    expect(JSON.parse(refused?.body ?? '')).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable' });
    expect([asked.breaking.length, asked.alive.length]).toEqual([1, 1]);
  });

  test('GET is', async () => {
    expect((await twice('GET', '')).map(({ status }) => status)).toEqual([200, 200]);
    expect([asked.breaking.length, asked.alive.length]).toEqual([1, 2]);
  });
});

test('where no server is there, all are told so', async () => {
  const [down = 0] = await freePorts(1);
  alive = down;
  await balance(down);
  for (const method of [...WRITES, 'GET']) {
    const { status, body } = await ask(method, '{}');
    expect([status, JSON.parse(body).code], method).toEqual([503, 503]);
  }
});

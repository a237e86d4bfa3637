import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, createServer, request, type Server, type ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPrograms, freePorts, loadBalancer, type ManagedProcess } from '../../tools/up/index.js';
import { rawExchange } from '../support/raw-exchange.js';

const HOST = 'Host: localhost\r\n';
/** Largest head that servers take (`--max-request-header-bytes`). */
const HEAD_BYTES = 64 << 10;
/** As many warnings as an answer has at most: 4,096 characters of short ones. */
const WARNINGS = Array.from(
  { length: 2000 },
  (_, at) => `299 - "${String.fromCharCode(33 + (at % 90), 40 + at / 90)}"`,
);

let dir: string;
let pki: Pki;
let port: number;
let apiPorts: readonly number[];
let gatewayPort: number;
let balancer: ManagedProcess;
const servers: Server[] = [];

/** A server as far as this load balancer looks at it: `/warned` has a long head, and a watch begins and goes on. */
async function listen(at: number): Promise<void> {
  const { cert, key } = pki.serving;
  const options: ServerOptions = { cert, key, maxHeaderSize: HEAD_BYTES };
  const server = createServer(options, (asked, answer) => {
    if (asked.url === '/warned') answer.setHeader('Warning', WARNINGS);
    answer.writeHead(200, { 'Content-Type': 'application/json' });
    if (asked.url?.includes('watch=1')) answer.write('{}\n');
    else answer.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  servers.push(server);
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-nginx-'));
  pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('kubernetes') });
  const [at = 0, healthPort = 0, one = 0, other = 0, gateway = 0] = await freePorts(5);
  [port, apiPorts, gatewayPort] = [at, [one, other], gateway];
  await Promise.all([one, other, gateway].map(listen));
  const files = { certFile: pki.serving.certFile, keyFile: pki.serving.keyFile, caFile: pki.ca.certFile };
  const behind = { apiServerPorts: apiPorts, gatewayPorts: [gateway], healthPort };
  const settings = { dir, port, detached: false, ...files, ...behind, proxyCertFile: pki.proxy.certFile };
  balancer = await loadBalancer('nginx', settings, findPrograms()).start();
});

afterAll(async () => {
  await balancer?.stop();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(dir, { recursive: true, force: true });
});

function ask(path: string, method = 'GET', headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: string; warnings: number }>((resolve, reject) => {
    const settings = { port, path, method, headers, ca: pki.ca.cert, maxHeaderSize: HEAD_BYTES, agent: false };
    const sent = request(settings, async (answer) => {
      const warnings = answer.rawHeaders.filter((name) => name === 'Warning').length;
      resolve({ status: answer.statusCode ?? 0, body: await text(answer), warnings });
    });
    sent.maxHeadersCount = 0;
    sent.on('error', reject).end();
  });
}

test.each(['POST', 'PUT', 'GET'])('%s: an answer has all the warnings that a server may give', async (method) => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('/warned', method)));
  expect(answers.map(({ status, warnings }) => [status, warnings])).toEqual(answers.map(() => [200, WARNINGS.length]));
});

test('heads that are too large for the servers are refused, and no server is taken for down', async () => {
  const large = Array.from({ length: 5 }, (_, at) => `X-${at}: ${'x'.repeat(60_000)}\r\n`).join('');
  const refused = async () => {
    const said = await rawExchange(
      { url: `https://127.0.0.1:${port}`, ca: pki.ca.cert },
      `GET / HTTP/1.1\r\n${HOST}${large}\r\n`,
    );
    return Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1]);
  };
  const rounds = Array.from({ length: 20 }, async () => [await refused(), (await ask('/api')).status]);
  const seen = new Set((await Promise.all(rounds)).map((codes) => codes.join(' ')));
  expect([...seen]).toEqual(['431 200']);
});

test('a head of almost that size is taken', async () => {
  expect((await ask(`/api?${'x'.repeat(60_000)}`)).status).toBe(200);
  expect((await ask('/api', 'PUT', { 'X-Large': 'x'.repeat(60_000) })).status).toBe(200);
});

const CHUNKED = 'Transfer-Encoding: gzip, chunked\r\n';

test.each([
  ['a target that is too long', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ['a header that is too long', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ['a target that is not well-formed', `GET /%zz HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['two hosts', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
  ['TRACE', `TRACE / HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['an unknown transfer coding', `POST / HTTP/1.1\r\n${HOST}${CHUNKED}\r\n`, 501],
  ['an unknown version', `GET / HTTP/3.0\r\n${HOST}\r\n`, 505],
])('%s is refused with a Status', async (_, sent, code) => {
  const said = await rawExchange({ url: `https://127.0.0.1:${port}`, ca: pki.ca.cert }, sent, 'end');
  expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toMatchObject({ kind: 'Status', status: 'Failure', code });
});

test('who does not speak TLS is told so', async () => {
  const body = await new Promise<string>((resolve, reject) => {
    const sent = plainRequest({ port, path: '/api', agent: false }, (answer) => resolve(text(answer)));
    sent.on('error', reject).end();
  });
  expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code: 400, message: expect.stringContaining('HTTPS') });
});

/** Whether the kernel probes the other end of each connection from a port, or to one, while nothing is sent on it. */
function probed(side: 'sport' | 'dport', of: number): boolean[] {
  const lines = execFileSync('ss', ['-tnoH', 'state', 'established', `${side} = :${of}`], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.includes('timer:(keepalive'));
}

test('ends that have vanished are noticed on both sides of a silent watch', async () => {
  const agent = new Agent({ keepAlive: false });
  const sent = request({ port, path: '/api/v1/pods?watch=1', ca: pki.ca.cert, agent }).on('error', () => undefined);
  const body = new Promise((resolve) => sent.once('response', (answer) => answer.once('data', resolve)));
  sent.end();
  await body;
  try {
    await expect.poll(() => probed('sport', port)).toContain(true);
    await expect.poll(() => probed('dport', gatewayPort)).toContain(true);
  } finally {
    sent.destroy();
  }
});

test('an end that reads nothing is left to the servers, which end its watch after the five minutes of history', () => {
  const configuration = readFileSync(join(dir, 'nginx', 'orch.conf'), 'utf8');
  expect(configuration.match(/^ {2}send_timeout .*/gm)).toEqual(['  send_timeout 10m;']);
});

import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, createServer, get, type RequestOptions, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { ensurePki, type Pki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accepts,
  findPrograms,
  freePorts,
  loadBalancer,
  type ManagedProcess,
  waitUntil,
} from '../../tools/up/index.js';

/** A request that a backend received. */
interface Asked {
  readonly tier: string;
  readonly headers: IncomingHttpHeaders;
  /** Common name of the certificate that the proxy came with; empty for none. */
  readonly proxy: string;
}

const JANE = { groups: ['dev, ops', 'a/b=c+d'], name: 'jane, (ö) doe' };

describe('HAProxy in front of servers that say what they were asked', () => {
  let dir: string;
  let pki: Pki;
  let balancer: ManagedProcess;
  let port: number;
  const servers: Server[] = [];
  let client: { cert: Buffer; key: Buffer };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-haproxy-'));
    pki = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('kubernetes') });
    client = certificate(dir, pki);
    const ports = await freePorts(4);
    const [at = 0, healthPort = 0, apiPort = 0, gatewayPort = 0] = ports;
    port = at;
    servers.push(await echo('api', apiPort, pki), await echo('watch', gatewayPort, pki));
    const files = { certFile: pki.serving.certFile, keyFile: pki.serving.keyFile, caFile: pki.ca.certFile };
    const behind = { apiServers: [`127.0.0.1:${apiPort}`], gateways: [`127.0.0.1:${gatewayPort}`], healthPort };
    const settings = { dir, port, detached: false, ...files, ...behind, proxyCertFile: pki.proxy.certFile };
    balancer = await loadBalancer('haproxy', settings, findPrograms()).start();
  });

  afterAll(async () => {
    await balancer?.stop();
    for (const server of servers) server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const ask = (path: string, options: RequestOptions = {}) => asked({ port, path, ca: pki.ca.cert, ...options });

  test.each([
    ['/api/v1/pods', 'api'],
    ['/api/v1/pods?watch=0', 'api'],
    ['/api/v1/pods?watch=False&limit=1', 'api'],
    ['/api/v1/pods?xwatch=1', 'api'],
    ['/api/v1/pods?watch=1', 'watch'],
    ['/api/v1/pods?limit=5&watch=true', 'watch'],
    ['/api/v1/pods?watch', 'watch'],
  ])('sends GET %s to %s, whoever asks', async (path, tier) => {
    expect((await ask(path)).tier).toBe(tier);
    expect((await ask(path, client)).tier).toBe(tier);
  });

  test('sends a POST with watch in its query to the api-servers', async () => {
    expect((await ask('/api/v1/pods?watch=1', { method: 'POST' })).tier).toBe('api');
  });

  test.each(['/api/v1/pods', '/api/v1/pods?watch=1'])(
    'says who has a certificate, groups and all, under a certificate of its own: %s',
    async (path) => {
      const { headers, proxy } = await ask(path, client);
      expect(decodeURIComponent(String(headers['x-remote-user']))).toBe(JANE.name);
      expect(String(headers['x-remote-group']).split(/, ?/).map(decodeURIComponent)).toEqual(JANE.groups);
      expect(proxy).toBe('front-proxy-client');
      expect(headers['x-remote-expires']).toBe(endOf(client.cert));
    },
  );

  test('passes a token on as it is, under no certificate', async () => {
    const { headers, proxy } = await ask('/api', { headers: { authorization: 'Bearer secret' } });
    expect(headers.authorization).toBe('Bearer secret');
    expect(headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(proxy).toBe('');
  });

  test('believes no header that says who somebody is', async () => {
    const forged = { 'X-Remote-User': 'admin', 'x-remote-group': 'system:masters', 'X-Remote-Extra-A': 'b' };
    for (const more of [{}, client]) {
      const { headers } = await ask('/api', { headers: forged, ...more });
      expect(JSON.stringify(headers)).not.toMatch(/admin|system:masters|x-remote-extra/);
    }
  });

  test('lets no page of another origin use a certificate to change something, or to open a WebSocket', async () => {
    const page = (origin: string, more: RequestOptions = {}) =>
      answer({
        ...{ port, path: '/api', ca: pki.ca.cert, ...client, ...more },
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', ...more.headers, origin },
      });
    const [POST, UPGRADE] = [
      { method: 'POST', headers: {} },
      { headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } },
    ];
    const own = `https://127.0.0.1:${port}`;
    for (const origin of ['https://evil.example', 'null', `${own}.evil.example`]) {
      expect((await page(origin, POST)).status).toBe(403);
      expect((await page(origin, UPGRADE)).status).toBe(403);
      expect((await page(origin)).status).toBe(200);
    }
    for (const more of [POST, UPGRADE]) expect((await page(own, more)).status).toBe(200);
    const program = { ...UPGRADE, headers: { ...UPGRADE.headers, 'user-agent': 'e2e.test/v1.27.16' } };
    expect((await page('http://localhost', program)).status).toBe(200);
    const other = { 'user-agent': 'Ladybird/1.0', 'sec-fetch-site': 'cross-site' };
    for (const more of [POST, UPGRADE])
      expect((await page('https://evil.example', { ...more, headers: { ...more.headers, ...other } })).status).toBe(
        403,
      );
    const token = { cert: undefined, key: undefined, ...POST };
    expect((await page('https://evil.example', token)).status).toBe(200);
  });

  test('refuses connections with a certificate of another authority', async () => {
    const { cert, key } = pki.proxy; // of the front proxies' authority, whose word would be believed behind
    await expect(ask('/api', { cert, key })).rejects.toThrow(/alert|reset|hang up/i);
  });

  test('answers with a Status, and to reads with Retry-After, when no server can be reached', async () => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    const read = await refusal({ port, path: '/api', ca: pki.ca.cert });
    expect(read).toMatchObject({ status: 503, retryAfter: '1', body: { kind: 'Status', code: 503 } });
    const write = await refusal({ port, path: '/api', ca: pki.ca.cert, method: 'POST' });
    expect(write).toMatchObject({ status: 503, retryAfter: undefined, body: { reason: 'ServiceUnavailable' } });
  });

  test('closes no kept connection under a request when it stops, but says with an answer that it will', async () => {
    const COUNT = 20;
    const kept = Array.from({ length: COUNT }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const askAll = () => Promise.all(kept.map((agent) => connectionOf({ port, path: '/api', ca: pki.ca.cert, agent })));
    expect(await askAll()).toEqual(kept.map(() => undefined));
    process.kill(balancer.pid, 'SIGUSR1');
    await waitUntil('it takes no new connections', 10_000, async () => !(await accepts(port)));
    // A few may have come to their turn in this second of twenty-five.
    const answers = await askAll();
    expect(answers.filter((said) => said === 'close').length, answers.join()).toBeGreaterThan(COUNT / 2);
    for (const agent of kept) agent.destroy();
  });
});

/** Returns the `Connection` header of an answer, or the error of the request. */
const connectionOf = (options: RequestOptions): Promise<string | undefined> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', ...options }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.headers.connection));
    }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });

/** The end of a certificate as a date and time of RFC 3339. */
const endOf = (cert: Buffer): string =>
  new Date(new X509Certificate(cert).validTo).toISOString().replace(/\.\d+Z/, 'Z');

function echo(tier: string, port: number, { serving, ca, proxyCa }: Pki): Promise<Server> {
  const tls = { key: serving.key, cert: serving.cert, ca: [ca.cert, proxyCa.cert], requestCert: true };
  const server = createServer({ ...tls, rejectUnauthorized: false }, ({ headers, socket }, response) => {
    const proxy = (socket as TLSSocket).getPeerCertificate().subject?.CN ?? '';
    response.end(JSON.stringify({ tier, headers, proxy }));
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

function answer(options: RequestOptions): Promise<{ status: number; retryAfter: string | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', agent: false, ...options }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text });
    }).once('error', reject);
  });
}

const asked = async (options: RequestOptions): Promise<Asked> => JSON.parse((await answer(options)).text);

async function refusal(options: RequestOptions) {
  const { status, retryAfter, text } = await answer(options);
  return { status, retryAfter, body: JSON.parse(text) as unknown };
}

/** A client certificate with several groups, and names that need care. */
function certificate(dir: string, { ca }: Pki): { cert: Buffer; key: Buffer } {
  const [key, request, cert] = ['jane.key', 'jane.csr', 'jane.crt'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  // Of several common names the last one counts, as for a server that reads the certificate itself.
  const subject = [
    '/CN=bob',
    ...JANE.groups.map((group) => `/O=${group.replaceAll(/[/+]/g, '\\$&')}`),
    `/CN=${JANE.name}`,
  ].join('');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-new', '-utf8', ...curve, '-keyout', key, '-subj', subject, '-out', request);
  openssl('x509', '-req', '-in', request, '-CA', ca.certFile, '-CAkey', ca.keyFile, '-days', '1', '-out', cert);
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

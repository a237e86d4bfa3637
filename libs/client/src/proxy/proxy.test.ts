import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { selfSigned } from '@orch/tls/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Client } from '../client.js';
import type { Connection } from '../connection.js';
import { DocumentReader } from '../document-reader.js';
import { TransportError } from '../errors.js';
import { type ProxySettings, startHttpProxy, startSocksProxy, type TestProxy } from '../testing/proxy.js';
import { answer, ScriptedServer } from '../testing/scripted-server.js';
import { proxyFromEnvironment } from './choose-proxy.js';

let server: ScriptedServer;
const clients: Client[] = [];
const proxies: TestProxy[] = [];

beforeAll(async () => {
  server = await ScriptedServer.start();
  server.script = (_request, response) => answer(response, 200, {});
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const client of clients.splice(0)) await client.close();
  for (const proxy of proxies.splice(0)) await proxy.stop();
});

const port = () => (server.server.address() as AddressInfo).port;
function connect(connection: Partial<Connection>): Client {
  const client = new Client({ ...server.connection, ...connection });
  clients.push(client);
  return client;
}
async function proxy(settings: Partial<ProxySettings> = {}): Promise<TestProxy> {
  const started = await startHttpProxy({ port: port(), ...settings });
  proxies.push(started);
  return started;
}
async function socks(user?: string): Promise<TestProxy> {
  const started = await startSocksProxy(port(), user);
  proxies.push(started);
  return started;
}
/** The server certifies this name, which no resolver knows. */
const ELSEWHERE = 'https://api.default.svc';
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it is refused'),
    (error: unknown) => error as Error,
  );

describe('through a proxy', () => {
  test('of http, with user and password; the handshake is with the server', async () => {
    const via = await proxy();
    const { cert, key } = server.pki.admin;
    const client = connect({
      server: ELSEWHERE,
      proxyUrl: `http://us%65r:p%40ss@${via.place}`,
      cert,
      key,
      token: 't1',
    });
    await client.raw('GET', '/a');
    // A connection is free again one turn after its answer.
    await new Promise(setImmediate);
    await client.raw('GET', '/b');
    expect(via.asked, 'the connection is kept').toEqual(['api.default.svc:443 user:p@ss']);
    expect(server.requests.map((request) => [request.client, request.headers.authorization])).toEqual([
      ['admin', 'Bearer t1'],
      ['admin', 'Bearer t1'],
    ]);
  });

  test('of https, which must be believed too', async () => {
    const via = await proxy({ tls: server.pki.serving });
    const client = connect({ server: `${ELSEWHERE}:6443`, proxyUrl: `https://${via.place}` });
    await client.raw('GET', '/');
    expect(via.asked).toEqual(['api.default.svc:6443']);
    const { ca: _none, ...stranger } = server.connection;
    const doubtful = new Client({ ...stranger, proxyUrl: `https://${via.place}` });
    clients.push(doubtful);
    expect((await failure(doubtful.raw('GET', '/'))).message).toMatch(/proxy https:.*certificate/);
  });

  test('of https, by its own certificate alone', async () => {
    const own = await selfSigned();
    const via = await proxy({ tls: own });
    const proxyUrl = `https://${via.place}`;
    await connect({ ca: `${server.connection.ca}${own.cert}`, proxyUrl }).raw('GET', '/');
    await expect(connect({ proxyUrl }).raw('GET', '/')).rejects.toThrow(/proxy https:/);
  });

  test('of socks5, with and without user', async () => {
    const [open, closed] = [await socks(), await socks('user:p@ss')];
    await connect({ server: ELSEWHERE, proxyUrl: `socks5://${open.place}` }).raw('GET', '/');
    await connect({ proxyUrl: `socks5://user:p%40ss@${closed.place}` }).raw('GET', '/');
    await connect({ server: 'https://[::1]:6443', proxyUrl: `socks5://${open.place}`, tlsServerName: 'localhost' }).raw(
      'GET',
      '/',
    );
    expect(open.asked).toEqual(['api.default.svc:443', `${'0'.repeat(31)}1:6443`]);
    expect(closed.asked).toEqual([`7f000001:${port()} user:p@ss`]);
    const wrong = await failure(connect({ proxyUrl: `socks5://user:geheim@${closed.place}` }).raw('GET', '/'));
    expect(wrong.message).toContain('refuses the user and password');
    expect((await failure(connect({ proxyUrl: `socks5://${closed.place}` }).raw('GET', '/'))).message).toContain(
      'another way',
    );
    expect(inspect(wrong)).not.toContain('geheim');
  });

  test('to a server that is spoken to in the clear', async () => {
    const plain = createServer((_request, response) => answer(response, 200, { plain: true })).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const via = await proxy({ port: (plain.address() as AddressInfo).port });
    const { body } = await connect({ server: 'http://plain.example.com', proxyUrl: `http://${via.place}` }).raw(
      'GET',
      '/',
    );
    expect([JSON.parse(body.toString()), via.asked]).toEqual([{ plain: true }, ['plain.example.com:80']]);
    plain.closeAllConnections();
    plain.close();
  });

  test.each([
    ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', /answered 407 Proxy Authentication Required to CONNECT/],
    ['HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n', /answered 502 Bad Gateway/],
    ['nonsense\r\n\r\n', /proxy http:.*Parse Error/],
    ['', /proxy http:.*socket hang up/],
  ])('that answers %j there is no connection, and no secret is told', async (reply, message) => {
    const via = await proxy({ answer: reply });
    const error = await failure(connect({ proxyUrl: `http://user:geheim@${via.place}` }).raw('GET', '/'));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(via.place);
    expect(inspect(error)).not.toMatch(/geheim|Z2VoZWlt|user:/);
  });

  test('that is not there', async () => {
    const via = await startHttpProxy({ port: 1 });
    await via.stop();
    expect((await failure(connect({ proxyUrl: `http://${via.place}` }).raw('GET', '/'))).message).toMatch(
      /ECONNREFUSED/,
    );
  });

  test('that the environment names, unless the connection names one or an address is given', async () => {
    const [named, own] = [await proxy(), await proxy()];
    vi.stubEnv('HTTPS_PROXY', `http://${named.place}`);
    vi.stubEnv('NO_PROXY', '');
    await connect({ server: ELSEWHERE }).raw('GET', '/');
    await connect({ server: ELSEWHERE, proxyUrl: `http://${own.place}` }).raw('GET', '/');
    const addressOf = async () => ({ host: '127.0.0.1', port: port() });
    const direct = new Client({ ...server.connection, server: ELSEWHERE }, { addressOf });
    clients.push(direct);
    await direct.raw('GET', '/');
    await connect({}).raw('GET', '/');
    expect([named.asked, own.asked]).toEqual([['api.default.svc:443'], ['api.default.svc:443']]);
    expect(server.requests).toHaveLength(4);
  });
});

test('documents are read through the proxy of the environment', async () => {
  const via = await proxy();
  vi.stubEnv('HTTPS_PROXY', `http://${via.place}`);
  vi.stubEnv('NO_PROXY', '');
  const reader = new DocumentReader({ ca: server.pki.ca.cert });
  expect((await reader.read(`${ELSEWHERE}:8443/keys`)).toString()).toBe('{}');
  await reader.close();
  expect(via.asked).toEqual(['api.default.svc:8443']);
});

test.each([
  ['https://a.example.com', {}, undefined],
  ['https://a.example.com', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
  ['https://a.example.com', { https_proxy: 'p:1' }, 'http://p:1'],
  ['https://a.example.com', { HTTPS_PROXY: '', https_proxy: 'socks5://p' }, 'socks5://p'],
  ['https://a.example.com', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://a.example.com', { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'http://p:1'],
  ['https://a.example.com', { HTTPS_PROXY: '::' }, undefined],
  ['https://localhost:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['https://127.8.0.1', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['https://[::1]', { HTTPS_PROXY: 'http://p:1' }, undefined],
])('%s with %j goes through %s', (url, env, expected) => {
  const found = proxyFromEnvironment(new URL(url), env);
  expect(found && `${found.protocol}//${found.host}`).toBe(expected);
});

test.each([
  ['*', true],
  ['example.com', true],
  ['EXAMPLE.com ', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['a.example.com', true],
  ['.a.example.com', false],
  ['ample.com', false],
  ['example.com:443', true],
  ['example.com:6443', false],
  [':443', false],
  ['10.0.0.0/8', false],
  ['b.com, example.com', true],
  ['', false],
])('NO_PROXY=%s exempts https://a.example.com: %s', (noProxy, exempt) => {
  const env = { HTTPS_PROXY: 'http://p:1', NO_PROXY: noProxy };
  expect(proxyFromEnvironment(new URL('https://a.example.com'), env) === undefined).toBe(exempt);
});

test.each([
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://10.1.2.3', '11.0.0.0/8', false],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://10.1.2.3', '10.1.2.3:443', true],
  ['https://10.1.2.3', '10.1.2.3:80', false],
  ['https://10.1.2.3', '10.1.2', false],
  ['https://[fd00::1]', 'fd00::/8', true],
  ['https://[fd00::1]', '[fd00::1]:443', true],
  ['https://[fd00::1]', 'fd00:0::1', true],
  ['https://[fd00::1]', 'fe00::/8', false],
])('%s is exempt by %s: %s', (url, noProxy, exempt) => {
  const env = { HTTPS_PROXY: 'http://p:1', no_proxy: noProxy };
  expect(proxyFromEnvironment(new URL(url), env) === undefined).toBe(exempt);
});

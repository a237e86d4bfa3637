import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makePodOn, type NodeAgent, ownAddress, shownName, startNodeAgent } from '../support/node-agent.js';
import { openUpgraded } from '../support/upgraded.js';
import { conformanceWithoutNames, expectStatus } from './conformance.js';

conformanceWithoutNames('Proxies of pods, services and nodes [Connections]', ({ api, namespace }) => {
  let ns: string;
  let pod: string;
  let service: string;
  let node: string;
  let agent: NodeAgent;
  let server: Server;
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  const address = ownAddress();

  beforeAll(async () => {
    ns = await namespace();
    server = createServer((req, res) => answer(req, res));
    server.on('upgrade', (_req, socket: Socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n');
      socket.pipe(socket);
    });
    server.listen(0, address);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    pod = `${await makePodOn(api, ns, 'p')}:${port}/proxy`;
    const status = { podIP: address, podIPs: [{ ip: address }] };
    expectStatus(await api.patch(`/api/v1/namespaces/${ns}/pods/p/status`, 'merge', { status }), 200);
    const at = (what: string) => `/api/v1/namespaces/${ns}/${what}`;
    const named = { apiVersion: 'v1', metadata: { name: 's' } };
    const spec = { ports: [{ name: 'http', port: 80 }] };
    expectStatus(await api.post(at('services'), { ...named, kind: 'Service', spec }), 201);
    const addresses = [{ ip: address, targetRef: { kind: 'Pod', name: 'p', namespace: ns } }];
    const subsets = [{ addresses, ports: [{ name: 'http', port }] }];
    expectStatus(await api.post(at('endpoints'), { ...named, kind: 'Endpoints', subsets }), 201);
    service = `${at('services/s')}:http/proxy`;
    agent = await startNodeAgent();
    node = `n-${ns}`;
    await agent.join(api, node);
  });

  beforeEach(() => {
    answer = (req, res) => {
      const { method, url, headers } = req;
      res.setHeader('Content-Type', 'application/json');
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('X-Own', '1');
      res.end(JSON.stringify({ method, url, headers }));
    };
  });

  afterAll(async () => {
    await api.delete(`/api/v1/nodes/${node}`);
    await agent?.stop();
    server?.closeAllConnections();
    server?.close();
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s reaches a pod and a service', async (method) => {
    for (const proxy of [pod, service]) {
      const got = expectStatus(await api.request(method, `${proxy}/a/b?c=d`), 200);
      expect(got.json()).toMatchObject({ method, url: '/a/b?c=d' });
      expect(got.headers).toMatchObject({ 'x-own': '1', 'content-type': 'application/json' });
      expect(got.headers).toHaveProperty('audit-id');
      expect(got.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('a head has no body', async () => {
    const got = expectStatus(await api.request('HEAD', `${pod}/a`), 200);
    expect([got.text, got.headers['x-own']]).toEqual(['', '1']);
  });

  test.each([
    ['/', '/'],
    ['/a', '/a'],
    ['/a/', '/a/'],
    ['/a/?b=c', '/a/?b=c'],
    ['/a%20b/c%3Fd', '/a%20b/c%3Fd'],
    ['/a:b@c+d', '/a:b@c+d'],
    ['/%2e%2e/%2e%2e/x', '/x'],
    ['/a//b', '/a/b'],
    ['/a%2Fb', '/a/b'],
    ["/a(b)'c!d*e", '/a%28b%29%27c%21d%2Ae'],
  ])('%s is asked for as %s', async (path, asked) => {
    expect(expectStatus(await api.get(`${pod}${path}`), 200).json().url).toBe(asked);
  });

  test('a browser is led to the path with a slash at its end; what is sent is not', async () => {
    const redirect = expectStatus(await api.get(`${pod}?a=b`), 301);
    expect(redirect.headers.location).toBe(`${pod}/?a=b`);
    expectStatus(await api.request('HEAD', pod), 301);
    expect(expectStatus(await api.post(pod, { a: 1 }), 200).json().url).toBe('/');
  });

  test('the server behind it is told how it was asked, and no credentials', async () => {
    const sent = { 'X-Remote-User': 'evil', 'X-Forwarded-Host': 'evil', 'X-Other': 'x' };
    const { headers } = expectStatus(await api.get(`${pod}/a?b`, sent), 200).json();
    const { host } = new URL(api.settings.url);
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-uri': `${pod}/a`,
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      'x-other': 'x',
      host,
    });
    for (const name of ['authorization', 'x-remote-user']) expect(headers).not.toHaveProperty(name);
  });

  test('bodies of any size go both ways as they come', async () => {
    const body = Buffer.alloc(32 << 20, 'abc');
    answer = (req, res) => void req.pipe(res);
    const got = expectStatus(await api.request('POST', `${service}/echo`, { body }), 200);
    expect(got.body.equals(body)).toBe(true);
  });

  test('answers come as they are written, over HTTP/2 too, and end where they end', async () => {
    let write: (text: string) => void = () => undefined;
    let end: () => void = () => undefined;
    answer = (_req, res) => {
      res.write('first');
      write = (text) => res.write(text);
      end = () => res.destroy();
    };
    const { url, ca, token } = api.settings;
    const session = connect(url, { ...(ca !== undefined && { ca }) });
    const stream = session.request({ ':path': `${pod}/events`, authorization: `Bearer ${token}` }).setEncoding('utf8');
    stream.on('error', () => undefined);
    const pieces = stream[Symbol.asyncIterator]();
    expect((await pieces.next()).value).toBe('first');
    write('second');
    expect((await pieces.next()).value).toBe('second');
    end();
    await new Promise<void>((resolve) => stream.once('close', resolve));
    expect(stream.rstCode).not.toBe(0);
    session.destroy();
  });

  test.each([
    ['/a/b', '/a/b'],
    ['https://elsewhere/a', undefined],
    ['a/b', undefined],
  ])('a redirect to %s', async (location, below) => {
    answer = (_req, res) => void res.writeHead(302, { Location: location }).end();
    const { headers } = expectStatus(await api.get(`${pod}/x`), 302);
    expect(headers.location).toBe(below === undefined ? location : `${pod}${below}`);
  });

  test.each(['identity', 'gzip'])('links of a page lead back below the proxy (%s)', async (encoding) => {
    const page = '<html><a href="/x?y">l</a><img src=\'rel\'><script src=/s.js></script>/not/a/link</html>';
    answer = (_req, res) => {
      const body = encoding === 'gzip' ? gzipSync(page) : Buffer.from(page);
      res.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Length': body.length,
        ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
      });
      res.end(body);
    };
    const got = expectStatus(await api.get(`${pod}/`), 200);
    const text = encoding === 'gzip' ? gunzipSync(got.body).toString() : got.text;
    expect(text).toBe(
      `<html><a href="${pod}/x?y">l</a><img src='rel'><script src=${pod}/s.js></script>/not/a/link</html>`,
    );
  });

  test('another protocol is joined', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'own' };
    const { status, socket, read } = await openUpgraded(api.settings, 'GET', `${pod}/ws`, upgrade);
    expect(status).toBe(101);
    socket.write('hello');
    expect(await read(5)).toBe('hello');
    socket.destroy();
  });

  test('a node is its agent, shown the certificate; another port is not', async () => {
    agent.answer = (req, res) => res.end(`${req.url} ${shownName(req)}`);
    const proxy = `/api/v1/nodes/${node}`;
    expect(expectStatus(await api.get(`${proxy}/proxy/metrics`), 200).text).toBe('/metrics apiserver-kubelet-client');
    expect(expectStatus(await api.get(`${proxy}:${agent.port}/proxy/stats/`), 200).text).toBe(
      '/stats/ apiserver-kubelet-client',
    );
    const { port } = server.address() as AddressInfo;
    expect(expectStatus(await api.get(`${proxy}:${port}/proxy/x`), 200).json().url).toBe('/x');
  });

  test('https is spoken where it is asked for, whoever is there', async () => {
    agent.answer = (req, res) => res.end(req.url);
    const at = `/api/v1/namespaces/${ns}/pods/https:p:${agent.port}/proxy/secure`;
    expect(expectStatus(await api.get(at), 200).text).toBe('/secure');
  });
});

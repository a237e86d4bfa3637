import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ANONYMOUS, type AuthenticationRequest, type UserInfo } from '@orch/authentication';
import { ALLOW, type Authorizer, type RequestAttributes } from '@orch/authorization';
import { StatusError } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import { type ListenOverrides, listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaveBody } from '../http/context.js';

let api: TestApi;
let server: TestServer | undefined;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(async () => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
  api = await testApi({ requestTimeoutMs: 300 });
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  api.close();
  process.off('unhandledRejection', note);
  // What nobody handles ends the process of a server.
  expect(unhandled).toEqual([]);
});

async function serve(overrides: ListenOverrides = {}): Promise<TestServer> {
  server = await openServer(listenerOf(api, overrides));
  return server;
}

/** Sends raw bytes, and gathers what comes back. */
async function raw(port: number, bytes: string): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, received: () => text };
}

const configMaps = '/api/v1/namespaces/default/configmaps';

it('cuts off a request whose error cannot be answered, and goes on', async () => {
  const listener = listenerOf(api, {
    fallback: (_req, res) => {
      // No answer over HTTP/2 can begin with it.
      res.setHeader('http2-settings', 'AAMAAABk');
      throw new Error('and this cannot be told');
    },
  });
  const http2 = createHttp2Server((req, res) =>
    listener(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  ).listen(0, '127.0.0.1');
  await once(http2, 'listening');
  const session = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
  const lost = session.request({ ':path': '/elsewhere' });
  await expect(once(lost, 'response')).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
  const next = session.request({ ':path': configMaps });
  const [head] = await once(next, 'response');
  expect(head[':status']).toBe(200);
  session.destroy();
  http2.close();
});

it.each(['', 'a', 'a:443', '[::1]:6443', 'Ab-c.d_e~f', "!$%&'()*+,;="])('takes %j for a host', async (host) => {
  const { port } = await serve();
  const { socket, received } = await raw(
    port,
    `GET ${configMaps} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  await once(socket, 'close');
  expect(received()).toMatch(/^HTTP\/1.1 200 /);
});

it.each([
  ['none', '', 'missing required Host header'],
  ['two', 'Host: a\r\nHost: a\r\n', 'too many Host headers'],
  ['two in other letters', 'hOST: a\r\nHost: b\r\n', 'too many Host headers'],
  ['two, the first of them empty', 'Host:\r\nHost: b\r\n', 'too many Host headers'],
  ['a path', 'Host: a/b\r\n', 'malformed Host header'],
  ['what holds a space', 'Host: a b\r\n', 'malformed Host header'],
  ['a name with a user', 'Host: a@b\r\n', 'malformed Host header'],
  ['bytes beyond ASCII', 'Host: \u00fc\r\n', 'malformed Host header'],
])('refuses a request that does not name one host: %s', async (_, hosts, message) => {
  // As behind TLS, where node does not ask for one.
  const strange = createServer({ requireHostHeader: false }, listenerOf(api));
  strange.listen(0, '127.0.0.1');
  await once(strange, 'listening');
  const { port } = strange.address() as AddressInfo;
  const { socket, received } = await raw(port, `GET ${configMaps} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
  await once(socket, 'close');
  strange.close();
  expect(received()).toMatch(/^HTTP\/1.1 400 /);
  expect(received()).toContain(`"message":"${message}"`);
});

it('tells browsers on every answer to take it for what it is said to be', async () => {
  const { port } = await serve();
  for (const path of [configMaps, `${configMaps}/none`, '/nowhere', '/api', `${configMaps}?watch=1&timeoutSeconds=1`]) {
    const { socket, received } = await raw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    expect(received()).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
  }
});

async function fill(count: number, bytes: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await api.create('configmaps', { metadata: { name: `c${i}` }, data: { text: 'x'.repeat(bytes) } });
  }
}

describe('one request', () => {
  it('is authenticated before anything else', async () => {
    const authenticate = async () => {
      throw new StatusError('Unauthorized', 'Unauthorized');
    };
    const { status, headers, body } = await (await serve({ authenticator: { authenticate } })).ask(configMaps);
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
  });

  it.each([
    ['GET', configMaps],
    ['POST', configMaps],
    ['GET', `${configMaps}?watch=1`],
    ['GET', '/openapi/v2'],
  ])('without credentials is refused before it reaches %s %s', async (method, path) => {
    const { ask } = await serve({ authenticator: { authenticate: async () => ANONYMOUS } });
    expect((await ask(path, { method })).status).toBe(403);
  });

  it('says that a token behind two spaces is none', async () => {
    const { ask } = await serve();
    const warnings = async (authorization: string) =>
      (await ask(configMaps, { headers: { authorization } })).headers.warning;
    expect(await warnings('Bearer  x')).toContain('contains extra space before the bearer token, and is ignored');
    for (const plain of ['Bearer x', 'Bearer ', 'Basic  x']) expect(await warnings(plain)).toBeUndefined();
  });

  it('hides what went wrong inside', async () => {
    api.store.beforeWrite = () => {
      throw new Error('secret detail');
    };
    const { ask } = await serve();
    const body = JSON.stringify({ metadata: { name: 'a' } });
    const answer = await ask(configMaps, { method: 'POST', body });
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).not.toContain('secret');
  });

  it('for what is not a resource goes to the fallback', async () => {
    const { ask } = await serve({ fallback: (_req, res) => res.writeHead(299).end() });
    expect((await ask('/version')).status).toBe(299);
  });

  it.each([
    ['http://somewhere', '/'],
    ['HTTPS://somewhere:1?a=b', '/?a=b'],
    ['http://somewhere/livez', '/livez'],
    ['/http://somewhere/livez', '/http://somewhere/livez'],
  ])('for %s, in absolute form, is one for %s', async (target, path) => {
    const seen: string[] = [];
    const authorize: Authorizer['authorize'] = async (_user, request) => {
      seen.push(request.path);
      return ALLOW;
    };
    const { ask } = await serve({
      authorizer: { authorize },
      fallback: (req, res) => res.writeHead(200).end(req.url),
    });
    expect((await ask(target)).body.toString()).toBe(path);
    expect(seen).toEqual([path.split('?')[0]]);
  });

  it.each(['ftp://somewhere/livez', '/livez#x', '/api\\v1?x#', '/apis#/v1', 'http://somewhere#/livez'])(
    'for %s, of which two readers may see two paths, is refused before anybody judges it',
    async (target) => {
      const seen: string[] = [];
      const fallback: ListenOverrides['fallback'] = (req, res) => {
        seen.push(String(req.url));
        res.end();
      };
      const { port } = await serve({ fallback });
      const { received, socket } = await raw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await once(socket, 'close');
      expect(received()).toMatch(/^HTTP\/1\.1 400 /);
      expect(seen).toEqual([]);
    },
  );

  it.each(['/livez#x', '/livez\u00a0', '/livez\ufeff', '/livez\u00fc'])(
    'over HTTP/2 for %j is refused too',
    async (path) => {
      const listener = listenerOf(api, { fallback: (_req, res) => res.end() });
      const http2 = createHttp2Server((req, res) =>
        listener(req as unknown as IncomingMessage, res as unknown as ServerResponse),
      ).listen(0, '127.0.0.1');
      await once(http2, 'listening');
      const session = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
      const [head] = await once(session.request({ ':path': path }), 'response');
      expect(head[':status']).toBe(400);
      session.destroy();
      http2.close();
    },
  );

  it('in absolute form finds a resource', async () => {
    await api.create('configmaps', { metadata: { name: 'a' } });
    const { ask } = await serve();
    expect((await ask(`http://somewhere${configMaps}/a`)).status).toBe(200);
  });

  it.each([
    '/api/v1/namespaces/a%00b/pods/p',
    `/api/v1/nodes/${'n'.repeat(2000)}`,
    '/apis/%zz/v1/x',
    '/api/v1/nodes/%ff',
  ])('with a path that nothing can have is a clean refusal and asks the database nothing: %.40s', async (path) => {
    const { ask } = await serve();
    const before = { ...api.store.calls };
    const { status, body } = await ask(path);
    expect(status).toBe(400);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
    expect(api.store.calls).toEqual(before);
  });
});

describe('the authorizer', () => {
  const seen: [UserInfo, RequestAttributes][] = [];
  const recorded = (decide: (request: RequestAttributes) => boolean): Authorizer => ({
    async authorize(user, request) {
      seen.push([user, request]);
      return { decision: decide(request) ? 'allow' : 'no-opinion', reason: '' };
    },
  });
  beforeEach(() => void seen.splice(0));

  it.each([
    ['GET', `${configMaps}/a`, { verb: 'get', group: '', resource: 'configmaps', namespace: 'default', name: 'a' }],
    ['GET', `${configMaps}?watch=1&fieldSelector=metadata.name=a`, { verb: 'watch', name: 'a' }],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', { verb: 'deletecollection', group: 'apps', namespace: 'x' }],
    ['PATCH', '/api/v1/nodes/n/status', { verb: 'patch', resource: 'nodes', subresource: 'status', name: 'n' }],
    ['GET', '/api/v1/nosuch', { verb: 'list', resource: 'nosuch' }],
    ['GET', '/openapi/v2', { verb: 'get', isResourceRequest: false, path: '/openapi/v2' }],
  ])('sees what %s %s is about, before anybody looks for it', async (method, path, about) => {
    const { ask } = await serve({ authorizer: recorded(() => false) });
    const { status, body } = await ask(path, { method });
    expect(status).toBe(403);
    expect(seen).toMatchObject([[{ name: 'admin' }, about]]);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'Forbidden', status: 'Failure' });
  });

  it('refuses in the words that clients know', async () => {
    const { ask } = await serve({ authorizer: recorded(() => false) });
    const message = async (path: string) => JSON.parse((await ask(path)).body.toString()).message;
    expect(await message(`${configMaps}/x`)).toBe(
      'configmaps "x" is forbidden: User "admin" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(await message('/x')).toBe('forbidden: User "admin" cannot get path "/x"');
  });

  it('is asked again when a PUT creates', async () => {
    const { ask } = await serve({ authorizer: recorded(({ verb }) => verb === 'update') });
    const path = '/apis/coordination.orch.io/v1/namespaces/default/leases/l';
    const { status, body } = await ask(path, { method: 'PUT', body: JSON.stringify({ metadata: { name: 'l' } }) });
    expect(status).toBe(403);
    expect(JSON.parse(body.toString()).message).toContain('cannot create resource "leases"');
    expect(seen.map(([, { verb, name }]) => [verb, name])).toEqual([
      ['update', 'l'],
      ['create', 'l'],
    ]);
    expect(api.stored('leases', 'l')).toBeUndefined();
  });

  it('lets nobody in when it fails', async () => {
    const authorize = async () => {
      throw new Error('out of order');
    };
    const { ask } = await serve({ authorizer: { authorize } });
    expect((await ask(configMaps)).status).toBe(500);
  });
});

describe('deadlines', () => {
  it('are for paths that are no resources too', async () => {
    const { ask } = await serve({ fallback: () => undefined });
    expect((await ask('/metrics')).status).toBe(504);
  });

  it('leave nothing to be begun after them', async () => {
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const authenticate = async () => {
      await settled;
      return { user: { name: 'u', groups: [], extra: {} }, method: 'token' as const };
    };
    let asked = 0;
    const authorize = async () => {
      asked++;
      return { decision: 'allow' as const, reason: '' };
    };
    const { ask } = await serve({ authenticator: { authenticate }, authorizer: { authorize } });
    const body = JSON.stringify({ metadata: { name: 'a' } });
    expect((await ask(configMaps, { method: 'POST', body })).status).toBe(504);
    settle();
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, api.stored('configmaps', 'a')]).toEqual([0, undefined]);
  });

  it('answer 504 and say when to come again, also when the work ends later', async () => {
    let release = (): void => undefined;
    api.store.beforeWrite = () => new Promise((resolve) => (release = () => resolve(undefined)));
    const { ask } = await serve();
    const body = JSON.stringify({ metadata: { name: 'a' } });
    const answer = await ask(configMaps, { method: 'POST', body });
    expect([answer.status, answer.headers['retry-after']]).toEqual([504, '1']);
    release();
    await expect.poll(() => api.stored('configmaps', 'a')).toBeDefined();
  });

  it('cut a list that is read too slowly, even behind a body that never came', async () => {
    await fill(40, 256 * 1024);
    const { port } = await serve();
    const { socket } = await raw(port, `GET ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n`);
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 600));
    socket.resume();
    await once(socket, 'close');
  });

  it('stop a deletion of many', async () => {
    await fill(200, 1);
    let begun = 0;
    const waiting: (() => void)[] = [];
    api.store.beforeWrite = () => {
      begun++;
      return new Promise((resolve) => waiting.push(() => resolve(undefined)));
    };
    const { ask } = await serve();
    expect((await ask(configMaps, { method: 'DELETE' })).status).toBe(504);
    const before = begun;
    api.store.beforeWrite = () => {
      begun++;
      return undefined;
    };
    for (const release of waiting) release();
    await expect.poll(() => api.store.rows(api.endpoint('configmaps').type).length).toBe(200 - before);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(begun).toBe(before);
  });
});

describe('connections', () => {
  it('outlive a body that is left unread', async () => {
    const { port } = await serve();
    const head = 'POST /api/v1/nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n';
    const { socket, received } = await raw(port, head);
    await expect.poll(received).toMatch(/^HTTP\/1.1 404 /);
    socket.write(`123456789GET ${configMaps} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(received).toMatch(/HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('give clients that send all before they read the answer to a body too large, which is counted', async () => {
    const metrics = new Metrics();
    const { port } = await serve({ metrics });
    const bytes = 32 << 20;
    const { socket, received } = await raw(
      port,
      `POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    socket.pause();
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.write(Buffer.alloc(bytes, 'x'), () => resolve());
    });
    socket.resume();
    await expect.poll(received).toMatch(/^HTTP\/1.1 413 /);
    expect((await metrics.text()).body).toContain('orch_limit_refusals_total{limit="size"} 1');
    socket.destroy();
  });

  it('are cut when the rest of an unread body does not come', async () => {
    server = await openServer((req, res) => {
      leaveBody({ req, res }, 20);
      res.end('no');
    });
    const { socket, received } = await raw(server.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1.1 200 /);
  });

  it('carry a watch behind another request, in order', async () => {
    await api.create('configmaps', { metadata: { name: 'a' } });
    const { port } = await serve();
    const get = `GET ${configMaps}/a HTTP/1.1\r\nHost: x\r\n\r\n`;
    const watch = `GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`;
    const { socket, received } = await raw(port, get + watch);
    await expect.poll(received).toMatch(/^HTTP\/1.1 200 .*"kind":"ConfigMap".*HTTP\/1.1 200 .*"type":"ADDED"/s);
    socket.destroy();
  });

  it('forget what the client of a watch said, its token above all, once the stream has begun', async () => {
    const listener = listenerOf(api);
    let seen: IncomingMessage | undefined;
    server = await openServer((req, res) => {
      seen = req;
      listener(req, res);
    });
    const head = `GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n`;
    const { socket, received } = await raw(server.port, head);
    await expect.poll(received).toContain('200 OK');
    await expect.poll(() => [seen?.headers, seen?.rawHeaders]).toEqual([{}, []]);
    socket.destroy();
  });

  it('let go of watches whose client has gone, whenever it went', async () => {
    const metrics = new Metrics();
    let authenticating = 0;
    const authenticate = async ({ socket }: AuthenticationRequest) => {
      authenticating++;
      // The second is settled only once its client has gone.
      if (authenticating === 2) await once(socket, 'close');
      return { user: { name: 'u', groups: [], extra: {} }, method: 'token' as const };
    };
    const { port } = await serve({ authenticator: { authenticate }, metrics });
    const open = async () => /apiserver_longrunning_requests{.*} (\d+)/.exec((await metrics.text()).body)?.[1];
    const head = `GET ${configMaps}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`;
    const first = await raw(port, head);
    await expect.poll(first.received).toContain('200 OK');
    expect(await open()).toBe('1');
    first.socket.destroy();
    await expect.poll(open).toBe('0');
    // Gone while it was found out who asks.
    const second = await raw(port, head);
    await expect.poll(() => authenticating).toBe(2);
    second.socket.destroy();
    // A request behind it is answered after it has been dealt with.
    const third = await raw(port, head);
    await expect.poll(third.received).toContain('200 OK');
    third.socket.destroy();
    await expect.poll(open).toBe('0');
    await expect.poll(() => api.deps.cache.peek(api.endpoint('configmaps').type)?.watchers).toBe(0);
  });

  it('end watches of clients that went while waiting for a version', async () => {
    const { port } = await serve();
    const match = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=100';
    const { socket } = await raw(port, `GET ${configMaps}?watch=1&${match} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => api.store.calls.lastVersion).toBeGreaterThan(0);
    socket.destroy();
    api.store.skip(200n);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(api.deps.cache.peek(api.endpoint('configmaps').type)?.watchers ?? 0).toBe(0);
  });
});

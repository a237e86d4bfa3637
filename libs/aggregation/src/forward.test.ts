import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createPlainServer, type IncomingMessage, request, ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { ensurePki, type Pki, type UserInfo } from '@orch/authentication';
import { StatusError } from '@orch/machinery';
import { contextOf, openServer, type TestServer } from '@orch/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Extension, forward, remoteIdentity } from './forward.js';

const USER: UserInfo = {
  name: 'jürgen',
  groups: ['system:masters', 'a,b'],
  extra: { 'Example.com/é': ['x', 'y'] },
  uid: 'u-1',
};

let dir: string;
let pki: Pki;
let extension: Server;
let target: Extension;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let front: TestServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'extension-'));
  pki = await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'api' } });
  const { cert, key } = pki.serving;
  extension = createServer({ cert, key, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: false });
  extension.on('request', (req, res) => answer(req, res));
  extension.listen(0, '127.0.0.1');
  await once(extension, 'listening');
  const { port } = extension.address() as AddressInfo;
  const agent = new Agent({ ca: pki.ca.cert, cert: pki.admin.cert, key: pki.admin.key, keepAlive: true });
  target = { host: '127.0.0.1', port, serverName: 'api.default.svc', agent };
});
afterAll(async () => {
  target.agent.destroy();
  extension.closeAllConnections();
  extension.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => openFront(() => target));
afterEach(() => front.close());

/** Headers of answers that an extension server has no say in. */
const FORGED = {
  'audit-id': 'forged',
  'x-kubernetes-pf-flowschema-uid': 'forged',
  'proxy-authenticate': 'Basic',
  'www-authenticate': 'Basic',
  'access-control-allow-origin': '*',
};

function expectOwn(headers: IncomingMessage['headers']): void {
  const left = Object.keys(FORGED).filter((name) => headers[name] !== undefined);
  expect([left, headers['audit-id']]).toEqual([['audit-id'], 'r-1']);
}

/** A server that lets the extension answer everything, also what wants another protocol. */
async function openFront(extensionFor: () => Extension): Promise<void> {
  front = await openServer((req, res) => {
    const ctx = contextOf(req, res, { user: USER });
    forward(ctx, extensionFor()).catch((error: unknown) => {
      const { code, message } = StatusError.from(error);
      res.writeHead(code).end(message);
    });
  });
}

describe('a request that another server answers', () => {
  it('goes there as it came, with who asks, and the answer comes back as it was given', async () => {
    let seen: IncomingMessage | undefined;
    let shown: unknown;
    answer = (req, res) => {
      seen = req;
      shown = (req.socket as TLSSocket).getPeerCertificate().subject?.O;
      res.writeHead(201, { 'x-own': ['1', '2'], 'x-remote-user': 'not told', warning: '299 - "old"' });
      req.pipe(res);
    };
    const body = Buffer.alloc(100_000, 'x');
    const headers = {
      authorization: 'Bearer secret',
      'x-remote-user': 'forged',
      'X-Remote-Group': 'forged',
      'impersonate-user': 'other',
      'content-type': 'application/x-own',
    };
    const path = '/apis/example.com/v1/things?watch=0&x=%2F..%2F';
    const got = await front.ask(path, { method: 'PUT', headers, body });
    expect([got.status, got.headers['x-own'], got.headers['x-remote-user'], got.headers.warning]).toEqual([
      201,
      '1, 2',
      undefined,
      '299 - "old"',
    ]);
    expect(got.body.equals(body)).toBe(true);
    expect([seen?.method, seen?.url, seen?.headers['content-type'], seen?.headers['audit-id']]).toEqual([
      'PUT',
      path,
      'application/x-own',
      'r-1',
    ]);
    expect(seen?.headersDistinct).toMatchObject({
      host: ['api.default.svc'],
      'x-remote-user': [Buffer.from('jürgen').toString('latin1')],
      'x-remote-group': ['system:masters', 'a,b'],
      'x-remote-uid': ['u-1'],
      'x-remote-extra-example.com%2f%c3%a9': ['x', 'y'],
    });
    expect(Object.keys(seen?.headers ?? {})).not.toContain('authorization');
    expect(Object.keys(seen?.headers ?? {})).not.toContain('impersonate-user');
    expect(shown).toBe('system:masters');
  });

  it('is told of how it came by this server, not by its client', async () => {
    let seen: IncomingMessage | undefined;
    answer = (req, res) => {
      seen = req;
      res.end();
    };
    const headers = { 'x-forwarded-host': 'evil', 'X-Forwarded-Proto': 'ftp', 'x-forwarded-uri': '/evil' };
    await front.ask('/apis/a%20b?x=?y', { headers: { ...headers, host: 'front.example' } });
    expect(seen?.headersDistinct).toMatchObject({
      'x-forwarded-host': ['front.example'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-uri': ['/apis/a%20b'],
    });
  });

  it('is answered with nothing that is for this server to say', async () => {
    answer = (_req, res) => {
      res.writeHead(200, { ...FORGED, 'X-Own': 'kept' }).end();
    };
    const { headers } = await front.ask('/');
    expectOwn(headers);
    expect(headers['x-own']).toBe('kept');
  });

  it('has headers beyond ASCII, and 200 kB of them, as they came', async () => {
    const long = 'x'.repeat(10_000);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-long-${at}`, long]));
    answer = (_req, res) => {
      res.writeHead(200, { ...many, 'X-Own': Buffer.from('grün').toString('latin1') }).end();
    };
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port: front.port, path: '/', maxHeaderSize: 1 << 20 }, resolve)
        .on('error', reject)
        .end();
    });
    incoming.resume();
    expect(Buffer.from(String(incoming.headers['x-own']), 'latin1').toString()).toBe('grün');
    expect(incoming.headers['x-long-19']).toBe(long);
  });

  it('has no length where it has no content', async () => {
    answer = (_req, res) => void res.writeHead(204, { 'Content-Length': 0 }).end();
    const { status, headers } = await front.ask('/');
    expect([status, headers['content-length']]).toEqual([204, undefined]);
  });

  it('is a stream while that one goes on', async () => {
    let response: ServerResponse | undefined;
    answer = (_req, res) => {
      response = res;
      res.write('one');
    };
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port: front.port, path: '/' }, resolve).on('error', reject).end();
    });
    const [first] = await once(incoming, 'data');
    expect(String(first)).toBe('one');
    response?.write('two');
    const [second] = await once(incoming, 'data');
    expect(String(second)).toBe('two');
    const cut = new Promise((resolve) => incoming.on('error', () => {}).once('close', resolve));
    response?.socket?.destroy();
    await cut;
    expect(incoming.complete).toBe(false);
  });

  it('ends there when its client goes', async () => {
    let closed: Promise<unknown> | undefined;
    const came = new Promise<void>((resolve) => {
      answer = (_req, res) => {
        closed = once(res, 'close');
        res.write('one');
        resolve();
      };
    });
    const asking = request({ port: front.port, path: '/' }).on('error', () => {});
    asking.end();
    await came;
    asking.destroy();
    await closed;
  });

  it('is not sent for a client that has left', async () => {
    let asked = 0;
    answer = (_req, res) => {
      asked++;
      res.end();
    };
    const server = createPlainServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asking = request({ port: (server.address() as AddressInfo).port, path: '/' }).on('error', () => {});
    asking.end();
    const [req, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    asking.destroy();
    await once(res, 'close');
    // It resolves to nothing once it has given up, and the next request shows that the one before was never sent.
    expect(await forward(contextOf(req, res, { user: USER }), target)).toBeUndefined();
    await front.ask('/');
    expect(asked).toBe(1);
    server.close();
  });

  it('is refused when nobody is there, or another than was meant', async () => {
    await front.close();
    await openFront(() => ({ ...target, port: 1 }));
    const nobody = await front.ask('/');
    expect([nobody.status, nobody.body.toString()]).toEqual([
      503,
      expect.stringContaining('error trying to reach service: connect ECONNREFUSED'),
    ]);
    await front.close();
    const plain = createPlainServer((_req, res) => res.end()).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    await openFront(() => ({ ...target, port }));
    const unsecured = await front.ask('/');
    // Nothing of what OpenSSL tells of this process.
    expect([unsecured.status, unsecured.body.toString()]).toEqual([
      503,
      expect.stringMatching(/^error trying to reach service: (write EPROTO )?wrong version number$/),
    ]);
    plain.close();
    await front.close();
    await openFront(() => ({ ...target, serverName: 'other.default.svc' }));
    const other = await front.ask('/');
    expect([other.status, other.body.toString()]).toEqual([503, expect.stringContaining('altnames')]);
  });

  it.each(['GET', 'DELETE', 'POST'])('is one request there, whatever the body of a %s looks like', async (method) => {
    const seen: string[] = [];
    const bodies: string[] = [];
    answer = (req, res) => {
      seen.push(`${req.method} ${req.url}`);
      req.setEncoding('utf8').on('data', (chunk) => bodies.push(chunk));
      req.on('end', () => res.end('done'));
    };
    const body = 'GET /smuggled HTTP/1.1\r\nHost: api.default.svc\r\nX-Remote-User: admin\r\n\r\n';
    for (let i = 0; i < 2; i++) {
      // Without a length: it comes in chunks.
      const got = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'transfer-encoding': 'chunked' };
        request({ port: front.port, path: '/one', method, headers }, resolve).on('error', reject).end(body);
      });
      expect([got.statusCode, String(await once(got, 'data'))]).toEqual([200, 'done']);
    }
    expect([seen, bodies]).toEqual([Array(2).fill(`${method} /one`), Array(2).fill(body)]);
  });

  it('is not sent elsewhere', async () => {
    answer = (_req, res) => void res.writeHead(307, { location: 'https://elsewhere.example.com/' }).end();
    const got = await front.ask('/');
    expect([got.status, got.headers.location, got.body.toString()]).toEqual([
      502,
      undefined,
      'the backend attempted to redirect this request, which is not permitted',
    ]);
    answer = (_req, res) => void res.writeHead(304, { etag: '"1"' }).end();
    expect((await front.ask('/')).status).toBe(304);
  });

  it('is refused where that one goes on with another protocol unasked, and breaks off', async () => {
    answer = (req) => {
      req.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      (req.socket as TLSSocket & { _parent?: Socket })._parent?.resetAndDestroy();
    };
    const got = await front.ask('/');
    expect(got.status).toBe(503);
  });

  it('has its body asked for where its client waits for that', async () => {
    answer = (req, res) => void req.pipe(res);
    const options = { port: front.port, method: 'POST', headers: { Expect: '100-continue' }, agent: false };
    const sent = request(options).on('continue', () => sent.end('wanted'));
    sent.flushHeaders();
    const [got] = (await once(sent, 'response')) as [IncomingMessage];
    expect(String((await got.toArray())[0])).toBe('wanted');
  });

  it('may come before the body has ended', async () => {
    answer = (_req, res) => void res.writeHead(413).end('too much');
    const got = await front.ask('/', { method: 'POST', body: Buffer.alloc(5_000_000) });
    expect([got.status, got.body.toString()]).toEqual([413, 'too much']);
  });
});

describe('a request over HTTP/2 that another server answers', () => {
  let http2: Http2Server;
  beforeAll(async () => {
    http2 = createHttp2Server((req, res) => {
      const [one, other] = [req as unknown as IncomingMessage, res as unknown as ServerResponse];
      forward(contextOf(one, other, { user: USER }), target).catch((error: unknown) => {
        res.writeHead(StatusError.from(error).code).end(StatusError.from(error).message);
      });
    }).listen(0, '127.0.0.1');
    await once(http2, 'listening');
  });
  afterAll(() => http2.close());

  async function ask(): Promise<{ headers: Record<string, unknown>; body: string }> {
    const session = connect(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
    try {
      const stream = session.request({ ':path': '/' });
      const [headers] = await once(stream, 'response');
      let body = '';
      for await (const chunk of stream) body += chunk;
      return { headers, body };
    } finally {
      session.destroy();
    }
  }

  it.each([
    ['proxy-connection', 'keep-alive'],
    ['http2-settings', 'AAMAAABk'],
    ['keep-alive', 'timeout=5'],
    ['te', 'gzip'],
    ['upgrade', 'h2c'],
  ])('is answered without what HTTP/2 has no word for: %s', async (name, value) => {
    answer = (_req, res) => void res.writeHead(200, { [name]: value, 'x-own': '1' }).end('there');
    const { headers, body } = await ask();
    expect([headers[':status'], headers[name], headers['x-own'], body]).toEqual([200, undefined, '1', 'there']);
  });

  it('has header bytes beyond ASCII as they came', async () => {
    const text = Buffer.from('grün').toString('latin1');
    answer = (_req, res) => void res.writeHead(200, { 'X-Own': text }).end('there');
    const { headers } = await ask();
    expect(Buffer.from(String(headers['x-own']), 'latin1').toString()).toBe('grün');
  });

  it.each([0, 99, 600, 999])('is refused where the answer has no status: %i', async (status) => {
    answer = (req) => {
      const digits = String(status).padStart(3, '0');
      req.socket.end(`HTTP/1.1 ${digits} Odd\r\nX-Own: 1\r\nContent-Length: 2\r\n\r\nok`);
    };
    const { headers, body } = await ask();
    expect([headers[':status'], headers['x-own'], body]).toEqual([
      503,
      undefined,
      `error trying to reach service: it answers with the status ${status}`,
    ]);
  });
});

describe('a connection that goes on with another protocol', () => {
  it('is joined with that of the other server', async () => {
    extension.once('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
      const forged = Object.entries(FORGED).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${req.headers.upgrade}\r\n${forged.join('')}X-Own: 1\r\n\r\nhello `,
      );
      socket.write(head);
      socket.pipe(socket);
    });
    const server = createPlainServer();
    server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
      const res = new ServerResponse(req);
      res.assignSocket(socket);
      void forward(contextOf(req, res, { user: USER, upgrade: { socket, head } }), target);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asking = request({ port, path: '/', headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' } });
    asking.end();
    const [message, socket, head] = (await once(asking, 'upgrade')) as [IncomingMessage, Socket, Buffer];
    expect([message.statusCode, message.headers.upgrade, message.headers['x-own']]).toEqual([101, 'SPDY/3.1', '1']);
    expectOwn(message.headers);
    socket.write('world');
    let text = head.toString();
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.endsWith('world')) break;
    }
    expect(text).toBe('hello world');
    server.close();
  });
});

it.each(['a\nb', 'a\0b'])('nobody is named %j in a header', (name) => {
  expect(() => remoteIdentity({ name, groups: [], extra: {} })).toThrow();
});

it('keys of extra values that differ in capitals alone are told with the values of all of them', () => {
  const extra = { Scopes: ['a'], other: ['b'], scopes: ['c', 'd'] };
  expect(remoteIdentity({ name: 'jane', groups: [], extra })).toEqual({
    'X-Remote-User': ['jane'],
    'X-Remote-Group': [],
    'X-Remote-Extra-Scopes': ['a', 'c', 'd'],
    'X-Remote-Extra-other': ['b'],
  });
});

import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { openSecureServer, type SecureServer, type TestApi, TOKEN, testApi } from '@orch/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const PATH = '/api/v1/namespaces/default/configmaps';
const LIMIT = 4_000;
let api: TestApi;
let server: SecureServer;
/** Of plain HTTP. */
let insecurePort: number;
/** Numbers the objects that are made. */
let made = 0;
beforeAll(async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  insecurePort = (holder.address() as AddressInfo).port;
  holder.close();
  await once(holder, 'close');
  api = await testApi({ maxBodyBytes: LIMIT });
  server = await openSecureServer(api, { insecurePort });
});
beforeEach(() => {
  made++;
});
afterAll(async () => {
  await server.close();
  api.close();
});

const body = () => JSON.stringify({ metadata: { name: `c${made}` } });
const PORTS = ['TLS', 'plain'] as const;

function dial(port: (typeof PORTS)[number]): Socket {
  const socket =
    port === 'plain'
      ? connectTcp({ port: insecurePort, host: '127.0.0.1' })
      : connect({ port: server.port, host: '127.0.0.1', ca: server.pki.ca.cert });
  return socket.on('error', () => undefined);
}

/** The status codes of the answers to what is sent, in order, and whether the server closes behind them. */
async function exchange(
  head: string,
  { port = 'TLS', wanted = '' }: { readonly port?: (typeof PORTS)[number]; readonly wanted?: string } = {},
) {
  const socket = dial(port);
  let [text, sent] = ['', false];
  socket.write(head);
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (!sent && text.startsWith('HTTP/1.1 100 ')) {
        sent = true;
        socket.write(wanted);
      }
      if (/HTTP\/1.1 [2-5]\d\d .*\r\n\r\n/s.test(text)) resolve();
    });
    socket.once('close', resolve);
  });
  await answered;
  if (/Connection: close/.test(text)) await once(socket, 'close');
  socket.destroy();
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
}

const head = (more: string, { method = 'POST', path = PATH, version = ' HTTP/1.1', token = TOKEN } = {}) =>
  `${method} ${path}${version}\r\nHost: h\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}\r\n`;
const withLength = (bytes: number, more = '') => `Content-Length: ${bytes}\r\n${more}`;
const WAITS = 'Expect: 100-continue\r\n';

describe.each(PORTS)('a client that waits to be told to send its body, over %s', (port) => {
  it.each(['100-continue', '100-Continue', '100-continue, x'])('is told so where that is read: %s', async (what) => {
    const asked = head(withLength(body().length, `Expect: ${what}\r\n`));
    expect(await exchange(asked, { port, wanted: body() })).toEqual([100, 201]);
  });

  it('does not need to be, and has its answer where it sends the body at once', async () => {
    const asked = head(withLength(body().length, WAITS));
    expect((await exchange(asked + body(), { port })).at(-1)).toBe(201);
  });

  it.each([
    ['whom nobody knows', head(withLength(20, WAITS), { token: 'nobody' }), 401],
    ['that has no right to it', head(withLength(20, WAITS)).replace(/Authorization.*\r\n/, ''), 403],
    ['that asks for what there is not', head(withLength(20, WAITS), { path: '/api/v1/nothings' }), 404],
    ['whose body would be too large', head(withLength(LIMIT + 1, WAITS)), 413],
    ['whose body nobody wants', head(withLength(20, WAITS), { method: 'GET' }), 200],
    ['that has no body', head(WAITS, { method: 'GET' }), 200],
  ])('is answered at once, and sends none: one %s', async (_, asked, code) => {
    expect(await exchange(asked, { port })).toEqual([code]);
  });

  it('has its answer whole behind that to what it has asked before', async () => {
    const socket = dial(port);
    const close = 'Connection: close\r\n';
    const first = head('', { method: 'GET', path: '/api/v1/namespaces/default' });
    socket.write(first + head(withLength(body().length, `${WAITS}${close}`)) + body());
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    await once(socket, 'close');
    // It has sent the body already, so nobody may have to tell it.
    const answer = /\r\n\r\n\{.*?\}\n?(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 201 Created\r\n.*?\r\n\r\n(.*)$/s;
    expect(JSON.parse(answer.exec(text)?.[1] ?? text)).toMatchObject({ kind: 'ConfigMap' });
  });

  it('is refused for what it waits for besides, as release 1.27 does', async () => {
    expect(await exchange(head(withLength(20, 'Expect: bananas\r\n')), { port })).toEqual([417]);
    expect(await exchange(head(withLength(20, 'Expect: bananas\r\n'), { version: ' HTTP/1.0' }), { port })).toEqual([
      417,
    ]);
  });

  it('is not told over HTTP/1.0, which knows no such word', async () => {
    const asked = head(withLength(body().length, WAITS), { version: ' HTTP/1.0' });
    expect(await exchange(asked + body(), { port })).toEqual([201]);
  });
});

describe('a client that waits to be told to send its body, over HTTP/2', () => {
  /** What a stream is told, in order. */
  async function reported(headers: Record<string, string | number>): Promise<unknown[]> {
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: server.pki.ca.cert });
    const asked = { ':method': 'POST', ':path': PATH, authorization: `Bearer ${TOKEN}`, ...headers };
    const stream = session.request(asked).on('error', () => undefined);
    const codes: unknown[] = [];
    // Whoever waits for something else sends at once.
    const waits = /100-continue/i.test(String(headers.expect));
    if (!waits) stream.end(body());
    stream.on('headers', ({ ':status': code }) => {
      codes.push(code);
      stream.end(body());
    });
    const [{ ':status': code }] = (await once(stream, 'response')) as [Record<string, unknown>];
    session.destroy();
    return [...codes, code];
  }

  it.each([
    [[100, 201], { expect: '100-continue' }],
    [[100, 201], { expect: '100-Continue' }],
    // As release 1.27, which looks for other words over HTTP/1.1 alone.
    [[201], { expect: 'bananas' }],
    [[401], { expect: '100-continue', authorization: 'Bearer nobody' }],
    [[404], { expect: '100-continue', ':path': '/api/v1/nothings' }],
    [[413], { expect: '100-continue', 'content-length': LIMIT + 1 }],
    [[200], { expect: '100-continue', ':method': 'GET' }],
  ])('is told %j: %j', async (codes, headers) => {
    expect(await reported(headers as Record<string, string | number>)).toEqual(codes);
  });
});

describe('a head that two readers could take for two things is refused', () => {
  const chunked = () => `${body().length.toString(16)}\r\n${body()}\r\n0\r\n\r\n`;

  it.each(['gzip, chunked', 'gzip\r\nTransfer-Encoding: chunked', 'CHUNKED, chunked', 'identity, chunked'])(
    'a body that is coded besides: %s',
    async (codings) => {
      for (const method of ['POST', 'GET']) {
        const [code = 0] = await exchange(head(`Transfer-Encoding: ${codings}\r\n`, { method }) + chunked());
        expect([400, 501]).toContain(code);
      }
    },
  );

  it('a coding that nobody reads is told to be none that is known', async () => {
    expect(await exchange(head('Transfer-Encoding: gzip, chunked\r\n') + chunked())).toEqual([501]);
    expect(await exchange(head('Transfer-Encoding: Chunked\r\n') + chunked())).toEqual([201]);
  });

  it('chunks over HTTP/1.0, where others read none', async () => {
    const asked = head('Transfer-Encoding: chunked\r\n', { version: ' HTTP/1.0' });
    expect(await exchange(asked + chunked())).toEqual([400]);
  });

  it.each([
    ['', 400],
    [' HTTP/0.9', 400],
    // Over a connection of HTTP/1.1 there can be none.
    [' HTTP/2.0', 505],
  ])('a request of another version, or of none: %j', async (version, code) => {
    for (const path of [PATH, '/version'])
      for (const port of PORTS)
        expect(await exchange(head('', { method: 'GET', path, version }), { port })).toEqual([code]);
  });
});

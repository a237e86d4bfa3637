import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { ensurePki, type Pki } from '@orch/authentication';
import { tlsSettings } from '@orch/credentials';
import { namesOf } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { CONNECTION_LIMITS } from '@orch/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Listeners, type ListenOptions, openListeners } from './listeners.js';
import { connectionName } from './tcp-table.js';
import { VanishedPeers } from './vanished-peers.js';

let certDir: string;
let pki: Pki;
let listeners: Listeners | undefined;
const sockets: TLSSocket[] = [];
beforeAll(async () => {
  certDir = await mkdtemp(join(tmpdir(), 'listeners-'));
  pki = await ensurePki({ certDir, bindAddress: '127.0.0.1', names: namesOf('orch'), extraHosts: [] });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listeners?.close();
  listeners = undefined;
});
afterAll(() => rm(certDir, { recursive: true }));

interface Opening extends Partial<Pick<ListenOptions, 'tls' | 'vanishedPeers' | 'securePort' | 'insecurePort'>> {
  readonly limits?: Partial<ListenOptions['limits']>;
}

/** A connection to a server, and what has come over it. */
async function open(
  listener: RequestListener,
  { tls, vanishedPeers, limits, securePort = 0, insecurePort = 0 }: Opening = {},
): Promise<{ socket: TLSSocket; received: () => string }> {
  const bindAddress = '127.0.0.1';
  listeners = await openListeners({
    listener,
    credentials: { serving: pki.serving, clientCa: pki.ca.cert },
    bindAddress,
    ...(tls && { tls }),
    securePort,
    insecurePort,
    limits: { ...CONNECTION_LIMITS, ...limits },
    onRefused: () => undefined,
    http2MaxStreams: 100,
    watchBufferBytes: 48 << 10,
    ...(vanishedPeers && { vanishedPeers }),
  });
  const socket = connect({ port: listeners.securePort, host: bindAddress, ca: pki.ca.cert });
  sockets.push(socket);
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'secureConnect');
  return { socket, received: () => text };
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  holder.close();
  await once(holder, 'close');
  return port;
}

describe('the end', () => {
  /** A connection without even a handshake. */
  const speechlessOne = async (): Promise<Socket> => {
    const socket = connectPlain({ port: listeners?.securePort ?? 0, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };

  const ended = async (): Promise<unknown> => {
    const end = listeners?.close();
    listeners = undefined;
    return end;
  };

  it('does not wait for connections on which nothing was asked, or no handshake was made', async () => {
    const { socket } = await open((_req, res) => res.end());
    const speechless = await speechlessOne();
    const closed = Promise.all([once(socket, 'close'), once(speechless, 'close')]);
    await ended();
    await closed;
  }, 8_000);

  it('waits for what is asked meanwhile, and for its answer', async () => {
    let answer: () => void = () => undefined;
    const { socket, received } = await open((_req, res) => {
      answer = () => res.end('at last');
    });
    const speechless = await speechlessOne();
    const end = ended();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(speechless, 'close');
    answer();
    await end;
    await expect.poll(received).toContain('at last');
  });
});

describe('what is not HTTP', () => {
  it.each(['garbage\r\n\r\n', 'GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n', 'GET / HTTP/1.1\r\nA: \x01\x02\r\n\r\n'])(
    'gets an answer that is: %j',
    async (bytes) => {
      const { socket, received } = await open((_req, res) => res.end());
      socket.write(bytes);
      await once(socket, 'close');
      expect(received()).toMatch(/^HTTP\/1.1 400 .*"kind":"Status".*"reason":"BadRequest"/s);
    },
  );

  it('but has too large a head is told so', async () => {
    const { socket, received } = await open((_req, res) => res.end());
    socket.write(`GET / HTTP/1.1\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`);
    await once(socket, 'close');
    expect(received()).toMatch(/^HTTP\/1.1 431 .*"kind":"Status".*"code":431/s);
  });

  it('gets none in the middle of another answer', async () => {
    const { socket, received } = await open((_req, res) => {
      res.writeHead(200, { 'Transfer-Encoding': 'chunked' });
      res.write('a stream');
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(received).toContain('a stream');
    socket.write('garbage\r\n\r\n');
    await once(socket, 'close');
    expect(received().match(/HTTP\/1.1/g)).toHaveLength(1);
  });
});

describe('a request that comes while the answer before it has not left', () => {
  const LARGE = 8 << 20;
  // More than a record of TLS holds (RFC 8446 section 5.1), so that two arrive at a time.
  const body = 'x'.repeat(20_000);
  const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it.each([
    ['as it is', '', post.length],
    ['behind a wish for another protocol', 'Connection: Upgrade\r\nUpgrade: foo\r\n', post.length],
    ['its body apart', '', post.length - body.length],
    ['most of its body apart', '', post.length - body.length + 1],
  ])('is answered: %s', async (_, first, together) => {
    const asked = new EventEmitter();
    const { socket, received } = await open((req, res) => {
      let bytes = 0;
      asked.emit(req.method ?? '');
      req.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      req.on('end', () => res.end(req.method === 'GET' ? Buffer.alloc(LARGE, '.') : `${bytes} bytes`));
    });
    for (const times of [1, 2]) {
      socket.pause();
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${first}\r\n`);
      // It has begun to answer, and cannot go on.
      await once(socket, 'readable');
      const posted = once(asked, 'POST');
      socket.write(post.slice(0, together));
      await posted;
      socket.write(post.slice(together));
      socket.resume();
      await expect.poll(() => received().length, { timeout: 30_000 }).toBeGreaterThan(times * LARGE);
      await expect.poll(() => received().split(`${body.length} bytes`).length).toBe(times + 1);
    }
  });
});

describe('headers', () => {
  it('are all there, or the request is refused: what is said behind many others is not passed over', async () => {
    const { socket, received } = await open(({ headers, rawHeaders }, res) =>
      res.end(`${headers['impersonate-user']} ${rawHeaders.includes('Impersonate-User')}`),
    );
    const behind = (length: number) => {
      const many = Array.from({ length }, (_, at) => `a${at.toString(36)}:\r\n`).join('');
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${many}Impersonate-User: low\r\n\r\n`);
    };
    behind(990);
    await expect.poll(received).toContain('low true');
    behind(3_000);
    await expect.poll(received).toContain('HTTP/1.1 431 ');
  });
});

describe('a wish for another protocol that nobody knows', () => {
  const WISH = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: foo\r\n\r\n';
  const WISHES = 40;

  /** What hears of a connection, by event. */
  const listenersOf = (socket: Socket): Record<string, number> =>
    Object.fromEntries(socket.eventNames().map((name) => [String(name), socket.listenerCount(name)]));

  it.each(['TLS', 'plain'])('sets nothing up anew on a connection over %s, however often it comes', async (port) => {
    const heard: Record<string, number>[] = [];
    const insecurePort = port === 'plain' ? await freePort() : 0;
    const vanishedPeers = new VanishedPeers({
      clock: new ManualClock(),
      timeoutMs: 30_000,
      onVanished: () => undefined,
      onError: () => undefined,
    });
    const answer: RequestListener = (req, res) => {
      heard.push(listenersOf(req.socket));
      res.end('x');
    };
    const { socket } = await open(answer, {
      vanishedPeers,
      insecurePort,
    });
    const client = insecurePort > 0 ? connectPlain({ port: insecurePort, host: '127.0.0.1' }) : socket;
    for (let i = 0; i < WISHES; i++) {
      client.write(WISH);
      await once(client, 'data');
    }
    client.destroy();
    expect(heard).toHaveLength(WISHES);
    expect(heard.at(-1)).toEqual(heard[1]);
  });
});

describe('what is shown', () => {
  const handshake = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const port = listeners?.securePort as number;
    const socket = connect({ port, host: '127.0.0.1', ca: pki.ca.cert, ALPNProtocols: ['h2'], ...options });
    sockets.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  };
  const serialOf = (socket: TLSSocket) => socket.getPeerCertificate().serialNumber;

  it('is not negotiated anew within a connection, by which a client could change its certificate', async () => {
    await open((_req, res) => res.end());
    for (const shown of [false, true]) {
      if (shown) listeners?.show({ serving: pki.serving, clientCa: pki.ca.cert });
      const socket = await handshake({ maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
      const refused = once(socket, 'error').then(([error]) => error.code);
      const done = new Promise((resolve) => socket.renegotiate({}, resolve));
      expect(await Promise.race([done, refused])).toBe('ERR_SSL_NO_RENEGOTIATION');
    }
  });

  it('is another certificate from one connection to the next, over either version of HTTP', async () => {
    const { socket, received } = await open((_req, res) => res.end('still here'));
    const before = serialOf(socket);
    const other = await ensurePki({
      certDir: join(certDir, 'other'),
      bindAddress: '127.0.0.1',
      names: namesOf('orch'),
    });
    listeners?.show({ serving: other.serving, clientCa: other.ca.cert });
    const after = await handshake({ ca: other.ca.cert });
    expect([after.alpnProtocol, serialOf(after)]).toEqual(['h2', expect.not.stringMatching(before)]);
    expect((await handshake({ ca: other.ca.cert, ALPNProtocols: ['http/1.1'] })).alpnProtocol).toBe('http/1.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(received).toContain('still here');
  });

  it('speaks the versions and cipher suites that are allowed, also after a change', async () => {
    const suite = 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384';
    await open((_req, res) => res.end(), { tls: tlsSettings('VersionTLS12', [suite]) });
    const both = async () => {
      const old = await handshake({ maxVersion: 'TLSv1.2' });
      expect(old.getCipher().name).toBe('ECDHE-ECDSA-AES256-GCM-SHA384');
      expect((await handshake()).getProtocol()).toBe('TLSv1.3');
      const weaker = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;
      await expect(handshake(weaker)).rejects.toThrow(/handshake failure/);
    };
    await both();
    listeners?.show({ serving: pki.serving, clientCa: pki.ca.cert });
    await both();
  });

  it('shows clients that ask for a name what has it, also after a change', async () => {
    const other = await ensurePki({
      ...{ certDir: join(certDir, 'named'), bindAddress: '127.0.0.1', names: namesOf('orch') },
      extraHosts: ['a.example.com'],
    });
    const named = [{ ...other.serving, names: ['a.example.com'] }];
    await open((_req, res) => res.end());
    const own = async (servername: string) => serialOf(await handshake({ servername, rejectUnauthorized: false }));
    const [before, others] = [await own('a.example.com'), await own('b.example.com')];
    listeners?.show({ serving: pki.serving, clientCa: pki.ca.cert, named });
    expect(await own('A.example.com')).not.toBe(before);
    expect(await own('b.example.com')).toBe(others);
    expect((await handshake({ servername: 'a.example.com', ca: other.ca.cert })).authorized).toBe(true);
    listeners?.show({ serving: pki.serving, clientCa: pki.ca.cert });
    expect(await own('a.example.com')).toBe(before);
  });

  it('may be for TLS 1.3 alone', async () => {
    await open((_req, res) => res.end(), { tls: tlsSettings('VersionTLS13', []) });
    await expect(handshake({ maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol version/);
  });
});

describe('a client that answers nothing any more', () => {
  it.each(['http/1.1', 'h2'])('is given up, speaking %s', async (protocol) => {
    const clock = new ManualClock();
    let silent: string[] = [];
    const vanishedPeers = new VanishedPeers({
      clock,
      timeoutMs: 30_000,
      onVanished: () => undefined,
      onError: (error) => expect.unreachable(String(error)),
      async *unanswered() {
        for (const name of silent) yield { name, attempts: 9 };
      },
    });
    const { socket: other } = await open((_req, res) => res.end(), { vanishedPeers });
    const port = listeners?.securePort ?? 0;
    const socket = connect({ port, host: '127.0.0.1', ca: pki.ca.cert, ALPNProtocols: [protocol] });
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    silent = [connectionName('127.0.0.1', port, '127.0.0.1', socket.localPort ?? 0)];
    const closed = once(socket, 'close');
    for (let look = 0; look < 5; look++) await clock.advance(10_000);
    await closed;
    expect(other.closed).toBe(false);
  });
});

it('where the second port is taken, the first one is closed again', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const securePort = await freePort();
  const { port: insecurePort } = holder.address() as AddressInfo;
  await expect(open((_req, res) => res.end(), { insecurePort, securePort })).rejects.toThrow('EADDRINUSE');
  const socket = connectPlain({ port: securePort, host: '127.0.0.1' });
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
  holder.close();
});

describe('close', () => {
  it('lets idle connections go and waits for busy ones', async () => {
    let finish: (() => void) | undefined;
    let busy: Socket | undefined;
    const { socket, received } = await open((req, res) => {
      busy = req.socket;
      finish = () => void res.end('done');
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => finish).toBeDefined();
    const closed = listeners?.close();
    listeners = undefined;
    expect(busy?.timeout ?? 0, 'however long it takes').toBe(0);
    finish?.();
    await closed;
    await expect.poll(received).toContain('done');
  });

  it.each(['TLS', 'plain'])(
    'answers what is asked on a connection that was idle, as the last of it: %s',
    async (port) => {
      const insecurePort = port === 'plain' ? await freePort() : 0;
      const { socket } = await open((_req, res) => res.end('done'), { insecurePort });
      const client = insecurePort > 0 ? connectPlain({ port: insecurePort, host: '127.0.0.1' }) : socket;
      const asked = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
      client.write(asked);
      await once(client, 'data');
      // Nothing keeps the server from closing it at once but that something may be on its way.
      if (client !== socket) socket.destroy();
      const closed = listeners?.close();
      listeners = undefined;
      await new Promise((resolve) => setImmediate(resolve));
      client.write(asked);
      const [answer] = await once(client, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 .*Connection: close/s);
      await closed;
    },
  );

  it('lets go of a connection on which nothing more is asked', async () => {
    const { socket } = await open((_req, res) => res.end('done'));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const gone = once(socket, 'close');
    await listeners?.close();
    listeners = undefined;
    await gone;
  }, 8_000);

  it.each(['TLS', 'plain'])(
    'does not wait long for who does not close what has ended: %s',
    async (port) => {
      const insecurePort = port === 'plain' ? await freePort() : 0;
      // As watches end: behind bytes that node's server knows nothing of.
      const { socket } = await open(({ socket: stream }) => void stream.end('the end'), { insecurePort });
      const wire = connectPlain({
        port: insecurePort || (socket.remotePort ?? 0),
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      const client =
        insecurePort > 0 ? wire : connect({ socket: wire, ca: pki.ca.cert, allowHalfOpen: true } as ConnectionOptions);
      client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      expect(String((await once(client, 'data'))[0])).toBe('the end');
      await listeners?.close();
      listeners = undefined;
      client.destroy();
    },
    8_000,
  );

  it('waits until an answer that is made has left', async () => {
    const LARGE = 32 << 20;
    const { socket, received } = await open((_req, res) => res.end(Buffer.alloc(LARGE, '.')));
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    const closed = listeners?.close();
    listeners = undefined;
    await new Promise((resolve) => setImmediate(resolve));
    socket.resume();
    await closed;
    await expect.poll(() => received().length, { timeout: 30_000 }).toBeGreaterThan(LARGE);
  });
});

describe('a request with a body that wishes for another protocol', () => {
  it.each(['TLS', 'plain'])(
    'is the last of its connection, of which node would leave out what follows: %s',
    async (port) => {
      const asked: string[] = [];
      const insecurePort = port === 'plain' ? await freePort() : 0;
      const { socket } = await open(
        (req, res) => {
          asked.push(String(req.url));
          req.resume().on('end', () => res.end('x'));
        },
        { insecurePort },
      );
      const client = insecurePort > 0 ? connectPlain({ port: insecurePort, host: '127.0.0.1' }) : socket;
      client.on('error', () => undefined);
      const wish =
        'POST /first HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: foo\r\nContent-Length: 2\r\n\r\n{}';
      const ended = once(client, 'close');
      client.write(`${wish}GET /second HTTP/1.1\r\nHost: a\r\nX: `);
      const [answer] = await once(client, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 .*Connection: close/s);
      client.write('GET /third HTTP/1.1\r\nHost: a\r\n\r\n');
      await ended;
      expect(asked).toEqual(['/first']);
    },
  );
});

describe('CONNECT', () => {
  it.each(['example.com:443', '/', '/version'])('of %s is answered as any other request', async (target) => {
    const { socket, received } = await open((req, res) => res.writeHead(405).end(`${req.method} ${req.url}`));
    const ended = once(socket, 'end');
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await ended;
    expect(received()).toMatch(/^HTTP\/1\.1 405 /);
    expect(received()).toContain(`CONNECT ${target}`);
  });

  it('comes behind the answer to what was asked before', async () => {
    const { socket, received } = await open((req, res) => res.end(String(req.method)));
    const ended = once(socket, 'end');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nCONNECT / HTTP/1.1\r\nHost: x\r\n\r\n');
    await ended;
    expect(received().match(/GET|CONNECT/g)).toEqual(['GET', 'CONNECT']);
  });
});

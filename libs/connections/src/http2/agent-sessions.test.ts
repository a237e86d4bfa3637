import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { NodeBackend } from '@orch/handlers';
import type { RequestContext } from '@orch/serving';
import { selfSigned } from '@orch/tls/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentConnector, type AgentCredentials } from '../agent-connector.js';

const AT_ONCE = 20;
const { cert, key } = await selfSigned();

let agent: Http2SecureServer | TlsServer;
let port: number;
const sockets = new Set<Socket>();
/** What the agent does with a stream. */
let answer: (stream: ServerHttp2Stream) => void;

async function listen(server: Http2SecureServer | TlsServer): Promise<void> {
  agent = server;
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

async function listenHttp2(): Promise<void> {
  const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: AT_ONCE } });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    answer(stream);
  });
  await listen(server);
}

beforeEach(() => {
  sockets.clear();
  answer = (stream) => {
    stream.respond({ ':status': 200 });
    stream.end('all');
  };
});

afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  agent.close();
  await once(agent, 'close');
});

let credentials: AgentCredentials = { client: undefined, ca: cert };
const connector = (connectMs = 5_000) =>
  new AgentConnector({
    ...{ credentials: () => credentials, connections: { keep: () => undefined }, connectMs },
    allows: () => true,
  });

const place = (): NodeBackend => ({ serves: 'agent', secure: true, host: '127.0.0.1', port, path: '/log' });

/** A client's request, which can be left. */
function client(): RequestContext {
  const req = { headers: {}, socket: {} };
  const res = new ServerResponse({ method: 'GET' } as never);
  return { req, res } as unknown as RequestContext;
}
const leave = ({ res }: RequestContext): void => void res.destroy();

describe('requests to an agent that speaks HTTP/2', () => {
  beforeEach(listenHttp2);

  it('share connections, no more on one than the agent takes', async () => {
    const held: ServerHttp2Stream[] = [];
    answer = (stream) => void held.push(stream);
    const agents = connector();
    const asking = Array.from({ length: 2 * AT_ONCE + 1 }, () => agents.get(client(), place()));
    await expect.poll(() => held.length).toBe(2 * AT_ONCE + 1);
    expect(sockets.size).toBe(3);
    for (const stream of held) stream.respond({ ':status': 200, 'x-own': '1' });
    for (const stream of held) stream.end('all');
    for (const got of await Promise.all(asking)) {
      expect([got.statusCode, got.headers['x-own']]).toEqual([200, '1']);
      expect([String(await buffer(got)), got.complete]).toEqual(['all', true]);
    }
    const more = agents.get(client(), place());
    await expect.poll(() => held.length).toBe(2 * AT_ONCE + 2);
    held.at(-1)?.respond({ ':status': 200 });
    await more;
    expect(sockets.size).toBe(3);
  });

  it('do not wait for one whose answer is not read', async () => {
    let unread: ServerHttp2Stream | undefined;
    answer = (stream) => {
      unread = stream;
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(1 << 20, 'x'));
    };
    const agents = connector();
    const slow = await agents.get(client(), place());
    answer = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(1 << 20, 'y'));
    };
    for (let at = 0; at < 30; at++) expect((await buffer(await agents.get(client(), place()))).length).toBe(1 << 20);
    expect(unread?.writableFinished).toBe(false);
    expect((await buffer(slow)).length).toBe(1 << 20);
    expect(sockets.size).toBe(1);
  });

  it('end there at once when their client leaves, before and behind the head', async () => {
    const streams: ServerHttp2Stream[] = [];
    answer = (stream) => void streams.push(stream);
    const agents = connector();
    const early = client();
    const asking = agents.get(early, place()).catch((error: Error) => error.message);
    await expect.poll(() => streams.length).toBe(1);
    leave(early);
    expect(await asking).toBe('the client is gone');
    await expect.poll(() => streams[0]?.rstCode).toBe(constants.NGHTTP2_CANCEL);
    answer = (stream) => {
      streams.push(stream);
      stream.respond({ ':status': 200 });
    };
    const late = client();
    await agents.get(late, place());
    leave(late);
    await expect.poll(() => streams[1]?.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(sockets.size).toBe(1);
  });

  it.each(['reset', 'killed'])('know that the body is not whole when the agent is %s', async (how) => {
    answer = (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('some');
      stream.session?.ping(() => (how === 'reset' ? stream.close(2) : [...sockets][0]?.destroy()));
    };
    const got = await connector().get(client(), place());
    const closed = new Promise((resolve) => got.once('close', resolve));
    got.resume();
    await closed;
    expect(got.complete).toBe(false);
  });

  it('go to a new connection once the agent takes no more on the last one, or has refused', async () => {
    const agents = connector();
    const streams: ServerHttp2Stream[] = [];
    answer = (stream) => {
      streams.push(stream);
      stream.respond({ ':status': 200 });
    };
    const first = await agents.get(client(), place());
    streams[0]?.session?.goaway(0);
    await expect
      .poll(async () => {
        await agents.get(client(), place());
        return sockets.size;
      })
      .toBe(2);
    streams[0]?.end('rest');
    expect(String(await buffer(first))).toBe('rest');
    let refusals = 0;
    answer = (stream) => {
      if (refusals++ === 0) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.respond({ ':status': 200 });
      stream.end('all');
    };
    expect(String(await buffer(await agents.get(client(), place())))).toBe('all');
    answer = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);
    await expect(agents.get(client(), place())).rejects.toThrow(
      /^stream error: stream ID \d+; REFUSED_STREAM; received from peer$/,
    );
  });

  it('are sent again when the connection is lost before the response', async () => {
    const agents = connector();
    await buffer(await agents.get(client(), place()));
    let asked = 0;
    answer = (stream) => {
      if (asked++ === 0) return void [...sockets][0]?.destroy();
      stream.respond({ ':status': 200 });
      stream.end('again');
    };
    expect(String(await buffer(await agents.get(client(), place())))).toBe('again');
    answer = () => {
      for (const socket of sockets) socket.destroy();
    };
    await expect(agents.get(client(), place())).rejects.toThrow();
    expect(asked).toBe(2);
  });

  it('leave an agent that acknowledges nothing, and ask at another connection', async () => {
    const agents = connector();
    await buffer(await agents.get(client(), place()));
    const [deaf] = sockets;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    deaf?.pause();
    // The handle of a session reads by itself.
    (deaf as unknown as { _handle?: { readStop(): void } })._handle?.readStop();
    const asked = agents.get(client(), place());
    await vi.advanceTimersByTimeAsync(15_000);
    expect(String(await buffer(await asked))).toBe('all');
    expect(sockets.size).toBe(2);
  });

  it('are refused an address that is not allowed, however many ask for it at a time', async () => {
    const agents = new AgentConnector({
      ...{ credentials: () => credentials, connections: { keep: () => undefined }, connectMs: 5_000 },
      allows: () => false,
    });
    const hosts = ['localhost', 'localhost', 'localhost', '127.0.0.1'];
    const asked = await Promise.allSettled(hosts.map((host) => agents.get(client(), { ...place(), host })));
    const reason = expect.objectContaining({ code: 400, message: 'address not allowed' });
    expect(asked).toEqual(hosts.map(() => ({ status: 'rejected', reason })));
  });

  it('fail when it closes the stream without a head', async () => {
    answer = (stream) => stream.close(0);
    await expect(connector().get(client(), place())).rejects.toThrow('EOF');
  });

  it('do not use connections of earlier credentials', async () => {
    const agents = connector();
    await buffer(await agents.get(client(), place()));
    credentials = { client: undefined, ca: cert };
    await buffer(await agents.get(client(), place()));
    expect(sockets.size).toBe(2);
  });

  it('leave a connection open for half a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const agents = connector();
    await buffer(await agents.get(client(), place()));
    await vi.advanceTimersByTimeAsync(29_000);
    await buffer(await agents.get(client(), place()));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(sockets.size).toBe(1);
    const closed = once([...sockets][0] as Socket, 'close');
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
  });

  it('leave no stream behind when their client leaves before it has read an answer that is whole', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let sent: Promise<unknown> | undefined;
    answer = (stream) => {
      const { session } = stream;
      // The acknowledgement comes behind the answer.
      sent = once(stream, 'close').then(() => new Promise((resolve) => session?.ping(resolve)));
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(60_000));
    };
    const early = client();
    const got = await connector().get(early, place());
    await sent;
    leave(early);
    got.destroy();
    const closed = once([...sockets][0] as Socket, 'close');
    await vi.advanceTimersByTimeAsync(30_000);
    await closed;
  });

  it('verify its certificate', async () => {
    credentials = { client: undefined, ca: (await selfSigned()).cert };
    await expect(connector().get(client(), place())).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const unverified = { ...place(), serves: 'unverified-agent' as const };
    expect(String(await buffer(await connector().get(client(), unverified)))).toBe('all');
    credentials = { client: undefined, ca: cert };
  });
});

it('an agent that speaks HTTP/1.1 alone is asked so', async () => {
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nall'));
  });
  await listen(server);
  const agents = connector();
  const got = await Promise.all([1, 2, 3].map(() => agents.get(client(), place())));
  for (const each of got) expect(String(await buffer(each))).toBe('all');
});

it('an answer over HTTP/2 with a status that is none of a final response is refused', async () => {
  const settings = Buffer.from('000000040000000000', 'hex');
  const head = Buffer.concat([Buffer.from('000005010500000001', 'hex'), Buffer.from('\x08\x03999', 'latin1')]);
  const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
    socket.once('data', () => {
      socket.write(settings);
      socket.on('data', (bytes) => {
        for (let at = 0; at < bytes.length; at += 9 + bytes.readUIntBE(at, 3))
          if (bytes[at + 3] === 1) socket.write(head);
      });
    });
  });
  await listen(server);
  await expect(connector().get(client(), place())).rejects.toThrow('it answers with the status 999');
});

it('an agent that breaks its connection behind its last GOAWAY is left within a minute', async () => {
  const settings = Buffer.from('000000040000000000', 'hex');
  const head = Buffer.from('00000101040000000188', 'hex');
  const goaway = Buffer.from('0000080700000000000000000100000000', 'hex');
  // A CONTINUATION of no headers: Node tells nobody about it, and reads no more.
  const stray = Buffer.from('000001090000000001ff', 'hex');
  const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
    socket.once('data', () => {
      socket.write(settings);
      socket.on('data', (bytes) => {
        for (let at = 0; at < bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
          if (bytes[at + 3] === 1) socket.write(head);
          if (bytes[at + 3] !== 6) continue;
          bytes[at + 4] = 1;
          socket.write(Buffer.concat([bytes.subarray(at, at + 17), goaway]));
        }
      });
    });
  });
  await listen(server);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const got = await connector().get(client(), place());
  const closed = new Promise((resolve) => got.once('close', resolve).resume());
  const [socket] = sockets;
  socket?.write(stray);
  // The answer is a GOAWAY with an error.
  await new Promise<void>((resolve) =>
    socket?.on('data', (bytes: Buffer) => bytes.includes('unexpected') && resolve()),
  );
  await vi.advanceTimersByTimeAsync(45_000);
  await closed;
  expect(got.complete).toBe(false);
  vi.useRealTimers();
  await expect.poll(() => sockets.size).toBe(0);
});

it('a connection with HTTP/1.1 is closed when its client has left meanwhile', async () => {
  await listen(createTlsServer({ cert, key }, (socket) => socket.resume()));
  const early = client();
  const asking = connector().get(early, place());
  leave(early);
  await expect(asking).rejects.toThrow('the client is gone');
  await expect.poll(() => sockets.size).toBe(0);
});

it('an agent that takes no requests on its connections is connected to once', async () => {
  const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: 0 } });
  let accepted = 0;
  server.on('session', () => {
    accepted++;
  });
  await listen(server);
  const agents = connector();
  const asked = await Promise.allSettled([1, 2, 3].map(() => agents.get(client(), place())));
  const reason = expect.objectContaining({ message: 'it accepts no requests' });
  expect(asked).toEqual(asked.map(() => ({ status: 'rejected', reason })));
  expect(accepted).toBe(1);
  await expect.poll(() => sockets.size).toBe(0);
});

it('an agent that says nothing once it is connected is left in time', async () => {
  await listen(createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => socket.resume()));
  await expect(connector(50).get(client(), place())).rejects.toThrow('no connection within 50 ms');
  await expect.poll(() => sockets.size).toBe(0);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GrpcSocket } from './grpc-socket.js';

const LONGEST = 1 << 20;
const LONG_MS = 600_000;
const bytes = (value: Buffer): Buffer => value;
const METHOD = {
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};

let dir: string;
let path: string;
let server: Server | undefined;
let socket: GrpcSocket;
let streams: ServerWritableStream<Buffer, Buffer>[] = [];

/** Serves a call that echoes and one that streams until it is cancelled. */
async function serve(): Promise<void> {
  server = new Server();
  const definition = (path: string, responseStream: boolean) => ({
    ...METHOD,
    path,
    requestStream: false,
    responseStream,
  });
  server.addService(
    {
      Echo: definition('/test/Echo', false),
      Hang: definition('/test/Hang', false),
      Count: definition('/test/Count', true),
    },
    {
      Echo: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void) => answer(null, call.request),
      Hang: () => undefined,
      Count: (call: ServerWritableStream<Buffer, Buffer>) => {
        streams.push(call);
        for (const each of call.request) call.write(Buffer.of(each));
      },
    },
  );
  const made = server;
  await new Promise<void>((resolve, reject) =>
    made.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-grpc-'));
  path = join(dir, 'grpc.sock');
  socket = new GrpcSocket(path, LONGEST);
  streams = [];
});

afterEach(() => {
  socket.close();
  server?.forceShutdown();
  rmSync(dir, { recursive: true, force: true });
});

const echo = (more = {}) => socket.call('/test/Echo', Buffer.from('hi'), { timeout: LONG_MS, ...more });

describe('calls over a socket', () => {
  it('wait for the server, unless they are to fail fast', async () => {
    await expect(echo({ failFast: true })).rejects.toMatchObject({ code: 'Unavailable' });
    const waiting = echo();
    await serve();
    expect((await waiting).toString()).toBe('hi');
  });

  it('come through again after the server was started again', async () => {
    await serve();
    await echo();
    server?.forceShutdown();
    await expect(socket.call('/test/Hang', Buffer.alloc(0), { timeout: 200 })).rejects.toMatchObject({
      code: 'Unavailable',
    });
    rmSync(path, { force: true });
    await serve();
    expect((await echo()).toString()).toBe('hi');
  });

  it('are cancelled by their signal, and end at their timeout', async () => {
    await serve();
    const ending = new AbortController();
    const hanging = socket.call('/test/Hang', Buffer.alloc(0), { signal: ending.signal });
    await echo();
    ending.abort();
    await expect(hanging).rejects.toMatchObject({ code: 'Canceled' });
    const late = socket.call('/test/Hang', Buffer.alloc(0), { timeout: 50 });
    await expect(late).rejects.toMatchObject({ code: 'DeadlineExceeded' });
    await expect(echo({ signal: ending.signal })).rejects.toMatchObject({ code: 'Canceled' });
  });

  it('have the code of the service', async () => {
    await serve();
    const unknown = socket.call('/test/None', Buffer.alloc(0), { timeout: LONG_MS });
    await expect(unknown).rejects.toMatchObject({ code: 'Unimplemented' });
  });
});

describe('a stream over a socket', () => {
  it('has all messages, and ends with its signal', async () => {
    await serve();
    const ending = new AbortController();
    const seen: number[] = [];
    for await (const [each = 0] of socket.stream('/test/Count', Buffer.of(1, 2, 3), { signal: ending.signal }))
      if (seen.push(each) === 3) ending.abort();
    expect(seen).toEqual([1, 2, 3]);
    await expect.poll(() => streams[0]?.cancelled).toBe(true);
  });

  it('is cancelled when it is no longer read', async () => {
    await serve();
    for await (const _ of socket.stream('/test/Count', Buffer.of(1, 2))) break;
    await expect.poll(() => streams[0]?.cancelled).toBe(true);
  });

  it('fails with the error of the service, and with the connection', async () => {
    await serve();
    const read = async () => {
      for await (const _ of socket.stream('/test/Count', Buffer.of(1)))
        streams.at(-1)?.emit('error', { code: status.UNIMPLEMENTED, details: 'no' });
    };
    await expect(read()).rejects.toMatchObject({ code: 'Unimplemented', description: 'no' });
    const broken = async () => {
      for await (const _ of socket.stream('/test/Count', Buffer.of(1))) server?.forceShutdown();
    };
    await expect(broken()).rejects.toMatchObject({ code: expect.stringMatching(/Unavailable|Canceled|Internal/) });
  });
});

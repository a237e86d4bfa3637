import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readDirectly } from './direct-reads.js';

let server: Server;
let near: Socket;
let far: Socket;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [near] = (await once(server, 'connection')) as [Socket];
});

afterEach(() => {
  for (const socket of [near, far]) socket.destroy();
  server.close();
});

it('reads a connection that a server has accepted into one buffer', async () => {
  const buffers = new Set<ArrayBufferLike>();
  const read: string[] = [];
  const isDirect = readDirectly(near, (bytes) => {
    buffers.add(bytes.buffer);
    read.push(bytes.toString());
  });
  expect(isDirect).toBe(true);
  for (const word of ['one', 'two', 'three']) {
    far.write(word);
    await expect.poll(() => read.at(-1)).toBe(word);
  }
  expect(buffers.size).toBe(1);
});

it('gives first what lies in the stream', async () => {
  far.write('second');
  await once(near, 'readable');
  near.unshift('first ');
  let text = '';
  readDirectly(near, (bytes) => {
    text += bytes.toString();
  });
  expect(text).toBe('first second');
  far.end(' third');
  await once(near, 'end');
  expect(text).toBe('first second third');
});

it('reads nothing while the connection is paused, and its rest and end later', async () => {
  const size = 8 << 20;
  let length = 0;
  readDirectly(near, (bytes) => {
    length += bytes.length;
    if (length === bytes.length) near.pause();
  });
  far.end(Buffer.alloc(size));
  await expect.poll(() => length).toBeGreaterThan(0);
  const before = length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(length).toBe(before);
  near.resume();
  await once(near, 'end');
  expect(length).toBe(size);
});

it('reads a connection as a stream where Node has no such members', async () => {
  const handle: unknown = Reflect.get(near, '_handle');
  Reflect.set(handle as object, 'useUserBuffer', undefined);
  let text = '';
  const isDirect = readDirectly(near, (bytes) => {
    text += bytes.toString();
  });
  expect(isDirect).toBe(false);
  far.end('as a stream');
  await once(near, 'end');
  expect(text).toBe('as a stream');
});

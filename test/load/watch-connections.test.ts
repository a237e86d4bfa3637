import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer } from 'node:https';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { temporaryPki } from './bare.js';
import type { Endpoint } from './connection.js';
import { EventCounter } from './event-counter.js';
import { openHttp1Watch, openHttp2Watches, speaksHttp2 } from './watch-connections.js';

let pki: Awaited<ReturnType<typeof temporaryPki>>;
const servers: { close(): unknown }[] = [];

beforeAll(async () => {
  pki = await temporaryPki();
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** A server that answers every watch with two events, in two pieces, and ends it; 410 for another path. */
function answer(
  request: Pick<Http2ServerRequest, 'url'>,
  response: Pick<Http2ServerResponse, 'writeHead' | 'write' | 'end'>,
) {
  response.writeHead(request.url === '/base/watch' ? 200 : 410);
  response.write('{"object":1}\n{"obj');
  response.end('ect":2}\n');
}

async function endpointOf(http2: boolean): Promise<Endpoint> {
  const server = http2
    ? createSecureServer({ ...pki.serving, allowHTTP1: true }, answer)
    : createServer(pki.serving, (request, response) => answer({ url: request.url ?? '' }, response as never));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP address');
  return { host: '127.0.0.1', port: address.port, tls: { ca: pki.ca.cert }, base: '/base' };
}

/** A sink that counts, and resolves when the stream has ended. */
function counting(chunked: boolean) {
  const counter = new EventCounter(chunked);
  let ended: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    ended = resolve;
  });
  return { counter, promise, sink: { data: (bytes: Buffer) => counter.countEvents(bytes), ended } };
}

test('whether a server speaks HTTP/2 is what it says in the handshake', async () => {
  expect(await speaksHttp2(await endpointOf(true))).toBe(true);
  expect(await speaksHttp2(await endpointOf(false))).toBe(false);
  expect(await speaksHttp2({ host: '127.0.0.1', port: 1 })).toBe(false);
});

test('a watch over HTTP/1.1 gets its events and learns of its end', async () => {
  const { counter, promise, sink } = counting(true);
  const close = await openHttp1Watch(await endpointOf(false), '/watch', sink, '127.0.0.7');
  await vi.waitFor(() => expect(counter.events).toBe(2));
  close();
  await promise;
  await expect(openHttp1Watch(await endpointOf(false), '/other', sink)).rejects.toThrow('410');
});

test('watches of one HTTP/2 connection each get their own events', async () => {
  const endpoint = await endpointOf(true);
  const watches = [counting(false), counting(false), counting(false)];
  const close = await openHttp2Watches(
    endpoint,
    watches.map(({ sink }) => ({ path: '/watch', sink })),
  );
  await Promise.all(watches.map(({ promise }) => promise));
  close();
  expect(watches.map(({ counter }) => counter.events)).toEqual([2, 2, 2]);
  await expect(openHttp2Watches(endpoint, [{ path: '/other', sink: watches[0]!.sink }])).rejects.toThrow('410');
});

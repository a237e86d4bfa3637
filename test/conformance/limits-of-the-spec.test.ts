import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { rawExchange } from '../support/raw-exchange.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, configMaps, expectStatus } from './conformance.js';

/** Tests the limits of docs/limits.md for connections and slow clients, through the options of a process. */

const PATH = configMaps('default');
/** More than it takes for a chance of 0.02 not to come but once in e^40 times. */
const REQUESTS = 2_000;

let server: Standalone;
let api: Api;
const ends: (() => void)[] = [];
beforeAll(async () => {
  server = await startStandalone({
    args: [
      '--goaway-chance=0.02',
      '--max-request-header-bytes=16Ki',
      '--max-request-header-fields=100',
      '--request-header-timeout=1s',
      '--request-body-timeout=3s',
    ],
  });
  api = new Api(server);
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});
afterAll(async () => {
  api?.close();
  await server?.stop();
});

const head = (line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.token}\r\n${more}`;

/** Sends bytes followed by others that trickle in. Returns the answer. */
async function dribbled(bytes: string, drop: string): Promise<string> {
  const { hostname: host, port } = new URL(server.url);
  const socket: TLSSocket = connect({ host, port: Number(port), ca: server.ca });
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1');
  });
  await once(socket, 'secureConnect');
  socket.write(bytes);
  const timer = setInterval(() => socket.writable && socket.write(drop), 50);
  ends.push(() => {
    clearInterval(timer);
    socket.destroy();
  });
  await expect.poll(() => text, { timeout: 60_000 }).toContain('"kind":"Status"');
  return text;
}

async function refusals(limit: string): Promise<number> {
  const { text } = expectStatus(await api.get('/metrics'), 200);
  return Number(new RegExp(`^orch_limit_refusals_total\\{limit="${limit}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

describe('Connections [Limits]', () => {
  test('a head beyond the limits is 431, by its target, a field, or how many there are', async () => {
    for (const bytes of [
      head(`GET ${PATH}?labelSelector=${'a'.repeat(17_000)}`, '\r\n'),
      head(`GET ${PATH}`, `A: ${'a'.repeat(17_000)}\r\n\r\n`),
      head(`GET ${PATH}`, `${'a: b\r\n'.repeat(101)}\r\n`),
    ])
      expect(await rawExchange(server, bytes, 'end')).toMatch(/^HTTP\/1.1 431 .*"kind":"Status".*"code":431/s);
    expect(await refusals('head')).toBe(3);
    const long = `${PATH}?labelSelector=${Array.from({ length: 1_400 }, (_, at) => `!k${at}`).join(',')}`;
    expectStatus(await api.get(long), 200);
  });

  test('a head that dribbles in is 408', async () => {
    expect(await dribbled(head(`GET ${PATH}`), 'a: b\r\n')).toMatch(/^HTTP\/1.1 408 .*"code":408/s);
    expect(await refusals('head-time')).toBeGreaterThan(0);
  });

  test('a body that dribbles in is 408, and 504 where the client gives itself less time', async () => {
    const length = 'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
    expect(await dribbled(head(`POST ${PATH}`, length), ' ')).toMatch(/^HTTP\/1.1 408 .*"code":408/s);
    const late = await dribbled(head(`POST ${PATH}?timeout=500ms`, length), ' ');
    expect(late).toMatch(/^HTTP\/1.1 504 .*Retry-After: 1\r\n.*"reason":"Timeout"/s);
  });

  test('a timeout that is no duration is 400', async () => {
    const { message } = expectStatus(await api.get(`${PATH}?timeout=soon`), 400).json<{ message: string }>();
    expect(message).toContain('invalid timeout specified in the request URL');
  });

  test('--goaway-chance sends a client of HTTP/2 to another connection, and loses none of its requests', async () => {
    expectStatus(await api.post(PATH, configMap('there')), 201);
    const on = connectHttp2(server.url, { ca: server.ca });
    on.on('error', () => undefined);
    ends.push(() => on.destroy());
    let [sentAway, answered] = [false, 0];
    on.once('goaway', () => {
      sentAway = true;
    });
    while (!sentAway && !on.closed && answered < REQUESTS) {
      const stream = on.request({ ':path': `${PATH}/there`, authorization: `Bearer ${server.token}` });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      expect(headers[':status']).toBe(200);
      stream.resume();
      await once(stream, 'close');
      answered++;
    }
    expect(sentAway).toBe(true);
    if (!on.destroyed) await once(on, 'close');
  });
});

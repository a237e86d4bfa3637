import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Cluster } from '../../tools/up/index.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { type WatchEvent, WatchStream } from '../support/watch-stream.js';
import { type Made, OpenSsl } from './openssl.js';

const LIST = '/api/v1/namespaces/default/configmaps';
/** The server would end the stream only much later of itself. */
const WATCH = `${LIST}?watch=1&timeoutSeconds=600`;
const BOOKMARKS = `${WATCH}&allowWatchBookmarks=true`;
/** Time for opening a watch before its certificate ends, and by which a stream may end late. */
const LIFE_MS = 4_000;
const LATE_MS = 2_500;

let dir: string;
let cluster: Cluster;
let openSsl: OpenSsl;
beforeAll(async () => {
  dir = makeServerFolder('orch-expiry-');
  cluster = await startCluster({ dir, apiServers: 1, gateways: 1, loadBalancer: 'haproxy' });
  openSsl = new OpenSsl(dir);
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A caller whose certificate ends soon. */
function brief(name: string): { client: Made; endsAt: number } {
  const endsAt = (Math.floor(Date.now() / 1000) + LIFE_MS / 1000) * 1000;
  const by = { certFile: join(dir, 'pki', 'ca.crt'), keyFile: join(dir, 'pki', 'ca.key') };
  return {
    client: openSsl.leaf(name, by, { subject: '/O=system:masters/CN=jane', usage: 'clientAuth', endsAt }),
    endsAt,
  };
}

/** Events of a watch until its end, and the answer to the client's next request. */
interface Ended {
  readonly events: readonly WatchEvent[];
  readonly at: number;
  readonly afterwards: number;
}

const PLACES = {
  'at a gateway': () => cluster.gatewayUrls[0] as string,
  'handed on by an api-server': () => cluster.apiServerUrls[0] as string,
  'behind HAProxy': () => cluster.url,
};

const TRANSPORTS: Readonly<Record<string, (url: string, path: string, client: Made) => Promise<Ended>>> = {
  async 'HTTP/1.1'(url, path, { cert, key }) {
    const agent = new Agent({ ca: cluster.ca, cert, key, keepAlive: true, maxCachedSessions: 0 });
    const ask = async (target: string) => {
      const [answer] = await once(request(`${url}${target}`, { agent }).end(), 'response');
      return answer;
    };
    const answer = await ask(path);
    const events = await new WatchStream(answer).rest();
    const at = Date.now();
    expect(answer.complete, 'not cut').toBe(true);
    // Kept connections are of before, too.
    const { statusCode } = await ask(LIST).catch((error: unknown) => refused(error));
    agent.destroy();
    return { events, at, afterwards: statusCode ?? 0 };
  },

  async 'HTTP/2'(url, path, { cert, key }) {
    const session = connectHttp2(url, { ca: cluster.ca, cert, key });
    try {
      const { text } = await http2Get(session, path);
      const at = Date.now();
      const { status } = await http2Get(session, LIST);
      return {
        events: text
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
        at,
        afterwards: status,
      };
    } finally {
      session.destroy();
    }
  },

  async WebSocket(url, path, { cert, key }) {
    const open = (target: string) =>
      new WebSocket(`${url.replace('https', 'wss')}${target}`, { ca: cluster.ca, cert, key });
    const socket = open(path);
    const events: WatchEvent[] = [];
    socket.on('message', (data) => events.push(JSON.parse(String(data))));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1000);
    const at = Date.now();
    const again = open(path);
    again.on('error', () => undefined);
    const [, answer] = await once(again, 'unexpected-response');
    again.terminate();
    return { events, at, afterwards: answer.statusCode };
  },
};

/** TLS itself may refuse a certificate that has ended, as HAProxy does. */
function refused(error: unknown): { statusCode: number } {
  if (error instanceof Error && /alert|ECONNRESET|hang up/.test(error.message)) return { statusCode: 401 };
  throw error;
}

async function http2Get(session: ClientHttp2Session, path: string): Promise<{ status: number; text: string }> {
  const stream = session.request({ ':path': path });
  const [headers] = await once(stream, 'response');
  let text = '';
  for await (const piece of stream) text += piece;
  return { status: Number(headers[':status']), text };
}

describe.each(Object.keys(PLACES) as (keyof typeof PLACES)[])('a watch %s', (place) => {
  // HAProxy takes HTTP/1.1 alone here, and with certificates TLS refuses new connections before a WebSocket is asked for.
  const transports = place === 'behind HAProxy' ? ['HTTP/1.1'] : Object.keys(TRANSPORTS);

  test.each(transports)('over %s ends with the certificate that it was opened with', async (transport) => {
    const name = `${place}-${transport}`.replaceAll(/\W/g, '-');
    const { client, endsAt } = brief(name);
    const { events, at, afterwards } = await (TRANSPORTS[transport] as (typeof TRANSPORTS)[string])(
      PLACES[place](),
      BOOKMARKS,
      client,
    );
    expect(at - endsAt).toBeGreaterThanOrEqual(0);
    expect(at - endsAt).toBeLessThan(LATE_MS);
    expect(events.at(-1)?.type).toBe('BOOKMARK');
    expect(events.filter(({ type }) => type === 'ERROR')).toEqual([]);
    expect(afterwards).toBe(401);
  });
});

test('a watch that asked for no bookmarks ends without one', async () => {
  const { client } = brief('plain');
  const http1 = TRANSPORTS['HTTP/1.1'] as (typeof TRANSPORTS)[string];
  const { events } = await http1(PLACES['handed on by an api-server'](), WATCH, client);
  expect(events.filter(({ type }) => type !== 'ADDED')).toEqual([]);
});

test('a certificate that goes on keeps its watch', async () => {
  const first = brief('short');
  const by = { certFile: join(dir, 'pki', 'ca.crt'), keyFile: join(dir, 'pki', 'ca.key') };
  const lasting = openSsl.leaf('lasting', by, { subject: '/O=system:masters/CN=jane', usage: 'clientAuth' });
  const agent = new Agent({ ca: cluster.ca, cert: lasting.cert, key: lasting.key });
  const url = PLACES['handed on by an api-server']();
  const [answer] = await once(request(`${url}${WATCH}`, { agent }).end(), 'response');
  const stream = new WatchStream(answer);
  await (TRANSPORTS['HTTP/2'] as (typeof TRANSPORTS)[string])(url, WATCH, first.client);
  expect(stream.ended).toBe(false);
  stream.close();
});

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Authenticator, authenticated } from '@orch/authentication';
import type { Row } from '@orch/storage';
import { listenerOf, MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ListGate } from './list-gate.js';
import { WindowMemory } from './window-memory.js';

/** Whoever shows a token is the user of that name. */
const BY_TOKEN: Authenticator = {
  authenticate: async ({ headers }) =>
    authenticated({ name: headers.authorization ?? 'admin', groups: ['system:masters'], extra: {} }, 'token'),
};

// One place for lists from the database: one that is not given back stops all that come after.
let api: TestApi;
let port: number;
let close: () => Promise<void>;

beforeEach(async () => {
  api = await testApi({}, 'orch', new MemoryStore(), { maxCachedBytes: 0, concurrent: 1 });
  api.store.pageRows = 2;
  // Together more than sockets on loopback take, also compressed.
  for (let i = 0; i < 12; i++) {
    const data = { text: createHash('shake256', { outputLength: 600_000 }).update(`${i}`).digest('base64') };
    await api.create('configmaps', { metadata: { name: `c${i}` }, data });
  }
  const server = createServer(listenerOf(api, { authenticator: BY_TOKEN }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
});
afterEach(async () => {
  await close();
  api.close();
});

const PATH = '/api/v1/namespaces/default/configmaps';
const get = (query = '', headers = '') => `GET ${PATH}${query} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

async function send(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** In byte order. */
const NAMES = Array.from({ length: 12 }, (_, i) => `c${i}`).sort();

/** Asks for a list as a user, and reads nothing of it but the head. */
async function unread(query: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const sent = request({ port, path: `${PATH}${query}`, headers, agent: false });
  sent.end();
  const [message] = (await once(sent, 'response')) as [IncomingMessage];
  return message;
}

/** The names of the objects of a list that is read now. */
async function namesIn(message: IncomingMessage): Promise<string[]> {
  const bytes = await buffer(message);
  const text = message.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  const { items } = JSON.parse(text.toString()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

/** Resolves when the list that is asked for has its place, which may be for a moment. */
async function underWay(asked: () => Promise<Socket>): Promise<Socket> {
  const enter = vi.spyOn(ListGate.prototype, 'enter');
  try {
    const socket = await asked();
    await expect.poll(() => enter.mock.calls.length, { timeout: 30_000 }).toBeGreaterThan(0);
    return socket;
  } finally {
    enter.mockRestore();
  }
}

async function expectFree(): Promise<void> {
  await expect.poll(() => api.store.openSnapshots, { timeout: 30_000 }).toBe(0);
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}?limit=1`);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

describe('the place of a list', () => {
  it.each([
    ['JSON', get()],
    ['indented JSON', get('?pretty=true')],
    ['YAML', get('', 'Accept: application/yaml\r\n')],
    ['protobuf', get('', 'Accept: application/vnd.orch.protobuf\r\n')],
    ['gzip', get('', 'Accept-Encoding: gzip\r\n')],
    ['a selection', get('?labelSelector=!a')],
    ['a page of a selection', get('?labelSelector=!a&limit=11')],
  ])('is free again when a client goes that does not read (%s)', async (_name, text) => {
    const socket = await underWay(() => send(text));
    socket.destroy();
    await expectFree();
  });

  it.each([
    ['JSON', '', {}, 12],
    ['gzip', '', { 'accept-encoding': 'gzip' }, 12],
    ['a page', '?limit=11', {}, 11],
    ['a selection', '?labelSelector=!a', {}, 12],
  ])(
    'is free again while a client does not read, who has everything once it does (%s)',
    async (_name, query, headers, count) => {
      const message = await unread(query, headers as Record<string, string>);
      await expectFree();
      expect(await namesIn(message)).toEqual(NAMES.slice(0, count));
    },
  );

  it.each([
    ['', '?limit=11'],
    ['of a selection', '?labelSelector=!a&limit=3'],
  ])('is taken, as memory is, by the user whose list it is (%s)', async (_what, query) => {
    const [enter, reserve] = [vi.spyOn(ListGate.prototype, 'enter'), vi.spyOn(WindowMemory.prototype, 'reserve')];
    const message = await unread(query, { authorization: 'another' });
    await expectFree();
    message.destroy();
    expect(enter.mock.calls[0]?.[0]).toBe('another');
    expect(reserve.mock.calls.filter(([user]) => user !== 'another')).toEqual([]);
    if (query === '?limit=11') expect(reserve).toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('is not waited for when the time of a request is over', async () => {
    const enter = vi.spyOn(ListGate.prototype, 'enter');
    vi.spyOn(api.store, 'snapshot').mockReturnValueOnce(new Promise(() => {}));
    const holding = await send(get('?limit=1'));
    await expect.poll(() => enter.mock.calls.length).toBe(1);
    const late = await fetch(`http://127.0.0.1:${port}${PATH}?timeout=20ms`);
    expect(late.status).toBe(504);
    await expect(enter.mock.results[1]?.value).rejects.toThrow('nobody waits');
    const gone = await send(get('?limit=2'));
    await expect.poll(() => enter.mock.calls.length).toBe(3);
    gone.destroy();
    await expect(enter.mock.results[2]?.value).rejects.toThrow('nobody waits');
    holding.destroy();
    vi.restoreAllMocks();
  });

  it.each(['?labelSelector=a&limit=1', '?labelSelector=a', ''])(
    'is given back, and no more is read, when the time of a request is over (%s)',
    async (query) => {
      let left = false;
      async function* endless(): AsyncGenerator<readonly Row[]> {
        try {
          for (;;) {
            await new Promise((resolve) => setImmediate(resolve));
            yield [];
          }
        } finally {
          left = true;
        }
      }
      vi.spyOn(api.store, 'snapshot').mockResolvedValueOnce({ version: 1n, pages: endless() });
      const late = await fetch(`http://127.0.0.1:${port}${PATH}${query}${query ? '&' : '?'}timeout=20ms`);
      expect(late.status).toBe(504);
      await expect.poll(() => left).toBe(true);
      vi.restoreAllMocks();
      await expectFree();
    },
  );

  it('is kept by no user who reads none of many lists, from another who asks for a page', async () => {
    const first = await fetch(`http://127.0.0.1:${port}${PATH}?limit=2`);
    const { metadata } = (await first.json()) as { metadata: { continue: string } };
    const messages = await Promise.all(Array.from({ length: 6 }, () => unread('')));
    const start = performance.now();
    const query = `?limit=2&continue=${metadata.continue}`;
    const page = await unread(query, { authorization: 'another' });
    expect(await namesIn(page)).toEqual(NAMES.slice(2, 4));
    expect(performance.now() - start).toBeLessThan(1_000);
    for (const message of messages) message.destroy();
    await expectFree();
  });

  it('is free again when the time for the answer is over', async () => {
    const socket = await underWay(() => send(get('?timeout=1s')));
    socket.pause();
    await expectFree();
    socket.destroy();
  });

  it('is free again when a client goes whose request stood behind one that was not answered yet', async () => {
    const socket = await underWay(() => send(get('?watch=true') + get()));
    socket.destroy();
    await expectFree();
  });

  it('is free again when the time is over for an answer that nobody has come to read yet', async () => {
    const socket = await underWay(() => send(get('?watch=true') + get('?timeout=1s')));
    await expectFree();
    socket.destroy();
  });

  it('is free again when an object cannot be shown', async () => {
    const { type } = api.endpoint('configmaps');
    const op = { op: 'create', type, namespace: 'default', name: 'z', uid: 'u', requireNamespace: false } as const;
    await api.store.write({ ...op, body: Buffer.from('{') });
    const table = 'application/json;as=Table;v=v1;g=meta.orch.dev';
    for (const accept of [table, 'application/yaml', '*/*']) {
      const answer = await fetch(`http://127.0.0.1:${port}${PATH}?pretty=true`, { headers: { accept } }).catch(
        () => undefined,
      );
      await answer?.arrayBuffer().catch(() => undefined);
      await expectFree();
    }
  });

  it('is never taken by what is refused', async () => {
    for (const query of ['?labelSelector=a===', '?resourceVersion=x', '?limit=x', '?fieldSelector=no=1']) {
      expect((await fetch(`http://127.0.0.1:${port}${PATH}${query}`)).status).toBeGreaterThanOrEqual(400);
    }
    const unacceptable = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers: { accept: 'text/css' } });
    expect(unacceptable.status).toBe(406);
    expect((await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'HEAD' })).status).toBe(405);
    await expectFree();
  });

  it.each(['', '?dryRun=All'])('is free again behind a deletion of a collection (%s)', async (query) => {
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}${query}`, { method: 'DELETE' });
    await answer.arrayBuffer();
    await expectFree();
  });

  it('is free while the objects of a collection are deleted, portion by portion', async () => {
    const answers: number[] = [];
    let deleted = 0;
    api.store.beforeWrite = async (op) => {
      // In the first portion, and in the last.
      if (op.op !== 'delete' || ![1, 12].includes(++deleted)) return undefined;
      const answer = await fetch(`http://127.0.0.1:${port}${PATH}?limit=1`);
      await answer.arrayBuffer();
      answers.push(answer.status);
      return undefined;
    };
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'DELETE' });
    await answer.arrayBuffer();
    expect([answer.status, deleted, ...answers]).toEqual([200, 12, 200, 200]);
    expect(api.store.rows(api.endpoint('configmaps').type)).toEqual([]);
    await expectFree();
  });

  it('is free again when a deletion of a collection fails, or its client goes', async () => {
    api.store.beforeWrite = () => {
      throw new Error('refused');
    };
    const failed = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'DELETE' });
    expect(failed.status).toBe(500);
    await expectFree();
    let socket: Socket | undefined;
    api.store.beforeWrite = async () => {
      socket?.destroy();
      return undefined;
    };
    socket = await send(`DELETE ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => api.store.writes.some(({ op }) => op === 'delete'), { timeout: 30_000 }).toBe(true);
    await expectFree();
  });
});

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expired } from '@orch/machinery';
import { contextOf, listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHUNKS, framesOf, httpChunk, LAST_CHUNK } from './frames.js';
import { WatchOutputs } from './watch-output.js';
import { WatchStream } from './watch-stream.js';

const path = '/api/v1/namespaces/default/configmaps';
const LIMIT = 48 << 10;
let api: TestApi;
let server: TestServer;
const requests: ClientRequest[] = [];
beforeEach(async () => {
  api = await testApi();
  server = await openServer(listenerOf(api));
});
afterEach(async () => {
  for (const one of requests.splice(0)) one.destroy();
  await server.close();
  api.close();
});

interface Open {
  readonly answer: IncomingMessage;
  readonly events: { type: string; object: { kind: string; code?: number; metadata: { name?: string } } }[];
}

/** A watch through node's own client, which checks the transfer framing. */
async function watch(query: string): Promise<Open> {
  const sent = request({ host: '127.0.0.1', port: server.port, path: `${path}?watch=1&${query}`, agent: false });
  requests.push(sent);
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const events: Open['events'] = [];
  let text = '';
  answer.on('error', () => undefined);
  answer.on('data', (chunk: Buffer) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    events.push(...lines.map((line) => JSON.parse(line) as Open['events'][number]));
  });
  return { answer, events };
}

describe('chunks (RFC 9112, section 7.1)', () => {
  it.each([1, 15, 16, 255, 65_536])('of %i bytes say so in hexadecimal', (length) => {
    const payload = Buffer.alloc(length, 'x');
    expect(httpChunk(payload).toString('latin1')).toBe(`${length.toString(16)}\r\n${payload}\r\n`);
  });

  it('are told apart by representation', () => {
    const { representations } = api.deps;
    const endpoint = api.endpoint('configmaps');
    const keys = ['application/json', 'application/yaml', api.deps.names.protobufMediaType].map(
      (accept) =>
        framesOf(representations.choose(endpoint, accept, new URLSearchParams()), CHUNKS, () => expired('x').status)
          .key,
    );
    expect(new Set(keys).size).toBe(3);
  });
});

describe('a watch (spec: "Watch behavior")', () => {
  it('begins with its head, before there is anything to tell', async () => {
    const { answer } = await watch('');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    expect(answer.headers['audit-id']).toBeDefined();
  });

  it('tells what there is and what comes', async () => {
    await api.create('configmaps', { metadata: { name: 'a' }, data: { text: 'ü\n' } });
    const { events } = await watch('');
    await expect.poll(() => events.length).toBe(1);
    await api.create('configmaps', { metadata: { name: 'b' } });
    await expect
      .poll(() => events.map(({ type, object }) => [type, object.metadata.name]))
      .toEqual([
        ['ADDED', 'a'],
        ['ADDED', 'b'],
      ]);
  });

  it('ends whole at its time', async () => {
    const { answer } = await watch('timeoutSeconds=1');
    await once(answer, 'end');
    expect(answer.complete).toBe(true);
  });

  it('says 410 before it starts when history does not reach back', async () => {
    const { type } = api.endpoint('configmaps');
    for (const name of ['a', 'b', 'c']) await api.create('configmaps', { metadata: { name } });
    api.store.compact(type, api.store.rows(type)[2]?.version ?? 0n);
    const { status, body } = await server.ask(`${path}?watch=1&resourceVersion=1`);
    expect(status).toBe(410);
    expect(JSON.parse(body.toString())).toMatchObject({ reason: 'Expired' });
  });

  it('that cannot go on ends with an ERROR event, whole', async () => {
    const { answer, events } = await watch('');
    api.deps.cache.peek(api.endpoint('configmaps').type);
    await expect.poll(() => api.deps.cache.peek(api.endpoint('configmaps').type)?.watchers).toBe(1);
    api.deps.cache.unload(api.endpoint('configmaps').type);
    await once(answer, 'end');
    expect([answer.complete, events]).toEqual([true, []]);
  });
});

describe('WatchStream', () => {
  /** A stream that is not fed by anything but the test. */
  async function stream(): Promise<{ stream: WatchStream; client: Socket; socket: Socket; closed: () => number }> {
    let closed = 0;
    await server.close();
    const opened = new Promise<{ stream: WatchStream; socket: Socket }>((resolve) => {
      void openServer((req, res) => {
        const made = new WatchStream(req.socket, 'application/json', new WatchOutputs(LIMIT));
        made.open(contextOf(req, res), () => closed++);
        resolve({ stream: made, socket: req.socket });
      }).then((started) => {
        server = started;
      });
    });
    await expect.poll(() => server.port).toBeGreaterThan(0);
    await new Promise((resolve) => setImmediate(resolve));
    const client = connect(server.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const { stream: made, socket } = await opened;
    return { stream: made, client, socket, closed: () => closed };
  }

  it('asks for no more when its client does not read, and takes up again when it does', async () => {
    const { stream: made, client, socket } = await stream();
    client.pause();
    let drained = 0;
    made.onDrain(() => drained++);
    const frame = httpChunk(Buffer.alloc(64 * 1024, 'x'));
    let writes = 0;
    while (made.write(frame)) {
      // The kernel takes what it takes; what waits here is what counts.
      if (++writes > 1000) expect.unreachable('never refused');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socket.writableLength).toBeLessThanOrEqual(LIMIT);
    client.resume();
    await expect.poll(() => drained).toBeGreaterThan(0);
    expect(made.write(frame)).toBe(true);
    client.destroy();
  });

  it('takes no more once it has ended, and ends once', async () => {
    const { stream: made, client } = await stream();
    let text = '';
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    made.write(httpChunk(Buffer.from('{}\n')));
    made.end();
    made.end();
    expect(made.write(httpChunk(Buffer.from('late')))).toBe(true);
    await once(client, 'close');
    expect(text.endsWith(`3\r\n{}\n\r\n${LAST_CHUNK}`)).toBe(true);
  });

  it('says once that its client is gone', async () => {
    const { stream: made, client, closed } = await stream();
    client.destroy();
    await expect.poll(closed).toBe(1);
    made.write(Buffer.from('x'));
    made.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed()).toBe(1);
  });
});

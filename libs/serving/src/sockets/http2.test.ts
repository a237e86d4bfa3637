import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { VERSION } from '@orch/apiserver';
import { forwardedIdentity } from '@orch/authentication';
import { certificateBelow } from '@orch/authentication/testing';
import { createDiscoveryRoutes, createFallbackApp } from '@orch/discovery';
import { HealthRegistry, Metrics, silentLogger } from '@orch/runtime';
import { DEFAULT_FEATURES } from '@orch/schema';
import { openSecureServer, type SecureOverrides, type SecureServer, type TestApi, TOKEN, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PATH = '/api/v1/namespaces/default/configmaps';
const ACCEPTED = 'net.server.socket';
const BEARER = { authorization: `Bearer ${TOKEN}` };

let api: TestApi;
let server: SecureServer;
const sessions: ClientHttp2Session[] = [];
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(async () => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
  api = await testApi({ maxBodyBytes: 100_000 });
});
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await server.close();
  api.close();
  process.off('unhandledRejection', note);
  // What nobody handles ends the process of a server.
  expect(unhandled).toEqual([]);
});

type Pair = { readonly cert: string; readonly key: string };

/** A connection to the server, with a client certificate if given. */
async function session(pair?: Pair, overrides?: SecureOverrides): Promise<ClientHttp2Session> {
  if (overrides || !sessions.length) server = await openSecureServer(api, overrides);
  const opened = connect(`https://127.0.0.1:${server.port}`, { ca: server.pki.ca.cert, ...pair });
  opened.on('error', () => undefined);
  sessions.push(opened);
  await once(opened, 'remoteSettings');
  return opened;
}

/** The next connection that is accepted, on the server's side. */
const nextAccepted = () =>
  new Promise<Socket>((resolve) => {
    const take = (message: unknown) => {
      unsubscribe(ACCEPTED, take);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe(ACCEPTED, take);
  });

type Headers = Readonly<Record<string, string | number>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  /** Code of the reset that ended the stream; 0 for an end in order. */
  readonly code: number;
}

async function ask(on: ClientHttp2Session, path: string, headers: Headers = {}, body?: string): Promise<Answer> {
  const stream = on.request({ ':path': path, ...BEARER, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return read(stream);
}

async function read(stream: ClientHttp2Stream): Promise<Answer> {
  let headers: Record<string, unknown> = {};
  const pieces: Buffer[] = [];
  stream.on('response', (got) => {
    headers = got;
  });
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', () => undefined);
  await new Promise((resolve) => stream.once('close', resolve));
  return { status: Number(headers[':status']), headers, body: Buffer.concat(pieces), code: stream.rstCode };
}

const json = ({ body }: Answer) => JSON.parse(body.toString()) as Record<string, unknown>;
const create = (name: string, text = '') => api.create('configmaps', { metadata: { name }, data: { text } });
const watchers = () => api.deps.cache.peek(api.endpoint('configmaps').type)?.watchers ?? 0;

/** A watch, with the events that have come. */
function watch(on: ClientHttp2Session, query = ''): { stream: ClientHttp2Stream; names: string[]; codes: number[] } {
  const stream = on.request({ ':path': `${PATH}?watch=1${query}`, ...BEARER });
  const [names, codes]: [string[], number[]] = [[], []];
  let text = '';
  stream.on('error', () => undefined);
  stream.on('data', (piece: Buffer) => {
    const lines = (text + piece).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const { object } = JSON.parse(line);
      if (object.code) codes.push(object.code);
      else names.push(object.metadata.name);
    }
  });
  return { stream, names, codes };
}

describe('requests over HTTP/2', () => {
  it('are those of HTTP/1.1', async () => {
    const on = await session();
    const made = await ask(on, PATH, { ':method': 'POST' }, JSON.stringify({ metadata: { name: 'a' } }));
    expect([made.status, made.code]).toEqual([201, 0]);
    expect(json(await ask(on, `${PATH}/a`))).toMatchObject({ metadata: { name: 'a' } });
    expect(json(await ask(on, PATH))).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
    const patch = { ':method': 'PATCH', 'content-type': 'application/merge-patch+json' };
    expect((await ask(on, `${PATH}/a`, patch, '{"data":{"x":"1"}}')).status).toBe(200);
    expect((await ask(on, `${PATH}/a`, { ':method': 'DELETE' })).status).toBe(200);
    expect(await ask(on, `${PATH}/a`)).toMatchObject({ status: 404, code: 0 });
  });

  it('reach what express serves, by the same routes', async () => {
    const { names, scheme } = api.deps;
    const metrics = new Metrics();
    const health = new HealthRegistry({ logger: silentLogger });
    const discovery = createDiscoveryRoutes(api.served, {
      scheme,
      names,
      features: DEFAULT_FEATURES,
      release: VERSION.gitVersion,
    });
    const on = await session(undefined, {
      fallback: createFallbackApp({ health, metrics, version: VERSION, discovery }),
    });
    for (const path of ['/version', '/metrics', '/readyz', '/livez/ping', '/api', '/apis', '/apis/apps', '/api/v1']) {
      expect((await ask(on, path)).status, path).toBe(200);
    }
    expect(json(await ask(on, '/api'))).toMatchObject({ versions: ['v1'] });
    const index = json(await ask(on, '/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
    const document = await ask(on, index.paths['api/v1']?.serverRelativeURL ?? '');
    expect([document.status, document.headers['cache-control']]).toEqual([200, 'public, immutable']);
    const moved = await ask(on, '/openapi/v3/api/v1?hash=other');
    expect(moved).toMatchObject({ status: 301, headers: { location: expect.stringContaining('hash=') } });
    expect(json(await ask(on, '/nosuch'))).toMatchObject({ code: 404 });
    expect(json(await ask(on, '/apis/%zz'))).toMatchObject({ code: 400 });
    expect((await ask(on, '/readyz', { ':method': 'HEAD' })).body).toHaveLength(0);
    const many = await Promise.all(Array.from({ length: 50 }, () => ask(on, '/version')));
    expect(many.every(({ status }) => status === 200)).toBe(true);
  });

  it('carry large and compressed answers whole', async () => {
    for (let at = 0; at < 60; at++) await create(`c${at}`, `${at}`.padEnd(50_000, 'x'));
    const on = await session();
    const plain = await ask(on, PATH);
    expect((json(plain).items as unknown[]).length).toBe(60);
    const packed = await ask(on, PATH, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  });

  it('too large are 413, and leave the connection to others', async () => {
    const on = await session();
    const declared = await ask(
      on,
      PATH,
      { ':method': 'POST', 'content-length': 200_000 },
      JSON.stringify('x'.repeat(199_998)),
    );
    expect([declared.status, declared.code]).toEqual([413, 0]);
    const stream = on.request({ ':path': PATH, ':method': 'POST', ...BEARER });
    const answer = read(stream);
    const more = setInterval(() => stream.write('x'.repeat(10_000)), 1);
    stream.once('response', () => {
      clearInterval(more);
      stream.end();
    });
    expect((await answer).status).toBe(413);
    expect((await ask(on, PATH)).status).toBe(200);
  });

  it('cut off in the middle of a body change nothing', async () => {
    let on = await session();
    const yaml = { ':path': PATH, ':method': 'POST', 'content-type': 'application/yaml', ...BEARER };
    const stream = on.request(yaml);
    stream.on('error', () => undefined);
    // Whole as it stands: only the end that never came says that it is not.
    stream.write('metadata:\n  name: cut\n');
    expect((await ask(on, PATH)).status).toBe(200);
    on.destroy();
    await once(stream, 'close');
    on = await session();
    expect((await ask(on, PATH)).status).toBe(200);
    expect(api.stored('configmaps', 'cut')).toBeUndefined();
  });

  it('with more headers than anybody needs are refused, and others go on', async () => {
    const on = await session();
    const fields = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`x-${at}`, 'y']));
    expect((await ask(on, PATH, fields(200))).status, 'as many as groups may need').toBe(200);
    const refused = await ask(on, PATH, fields(1_000));
    expect([refused.status, json(refused)]).toMatchObject([431, { kind: 'Status', code: 431 }]);
    expect((await ask(on, PATH, fields(3_000))).code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect((await ask(on, PATH)).status).toBe(200);
  });

  it('with heads beyond all measure cost their connection, as over HTTP/1.1', async () => {
    const on = await session();
    const closed = new Promise((resolve) => on.once('close', resolve));
    const refused = await ask(on, PATH, { 'x-large': 'x'.repeat(60_000), 'x-larger': 'y'.repeat(60_000) });
    expect(refused.status).not.toBe(200);
    await closed;
    expect((await ask(await session(), PATH)).status).toBe(200);
  });
});

describe('who asks over HTTP/2', () => {
  it('is settled for each stream', async () => {
    const on = await session();
    const [jane, nobody, wrong] = await Promise.all([
      ask(on, PATH),
      ask(on, PATH, { authorization: '' }),
      ask(on, PATH, { authorization: 'Bearer wrong' }),
    ]);
    expect([jane.status, nobody.status, wrong.status]).toEqual([200, 403, 401]);
    expect(wrong.headers['www-authenticate']).toBe('Bearer');
  });

  it('may be shown by the certificate of the connection', async () => {
    await session();
    for (const pair of [server.pki.admin, await certificateBelow(server.pki.ca, 'far')]) {
      expect((await ask(await session(pair), PATH, { authorization: '' })).status).toBe(200);
    }
  });

  it('is whom a front proxy names, and nobody believes others', async () => {
    await session();
    const claim = forwardedIdentity({ name: 'eve', groups: ['system:masters'], extra: {} });
    const without = { authorization: '', ...claim };
    expect((await ask(await session(server.pki.proxy), PATH, without)).status).toBe(200);
    const plain = { authorization: '', 'x-remote-user': 'eve', 'x-remote-group': 'a,b' };
    expect((await ask(await session(server.pki.proxy), PATH, plain)).status).toBe(200);
    expect((await ask(await session(), PATH, plain)).status).toBe(403);
    expect((await ask(await session(server.pki.proxy), PATH, { authorization: '' })).status).toBe(401);
    expect((await ask(await session(), PATH, without)).status).toBe(403);
  });
});

describe('watches over HTTP/2', () => {
  it('share a connection, each with its own events', async () => {
    const on = await session();
    const open = Array.from({ length: 200 }, (_, at) => watch(on, `&fieldSelector=metadata.name=c${at % 4}`));
    await expect.poll(watchers).toBe(200);
    for (let at = 0; at < 4; at++) await create(`c${at}`);
    for (const [at, { names }] of open.entries()) await expect.poll(() => names).toEqual([`c${at % 4}`]);
    expect(sessions).toHaveLength(1);
  });

  it('end in order at their time, and let go of their watchers when given up', async () => {
    const on = await session();
    const first = watch(on, '&timeoutSeconds=1');
    await once(first.stream, 'end');
    expect(first.stream.rstCode).toBe(0);
    const second = watch(on);
    await expect.poll(watchers).toBe(1);
    second.stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(watchers).toBe(0);
  });

  it('say 410 before they start', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const { type } = api.endpoint('configmaps');
    api.store.compact(type, api.store.rows(type)[2]?.version ?? 0n);
    const gone = await ask(await session(), `${PATH}?watch=1&resourceVersion=1`);
    expect(gone.status).toBe(410);
  });

  it('that are not read hold up no other, keep little, and tell everything later', async () => {
    const on = await session();
    const stalled = watch(on);
    stalled.stream.pause();
    const others = Array.from({ length: 5 }, () => watch(on));
    await expect.poll(watchers).toBe(6);
    const count = 60;
    for (let at = 0; at < count; at++) await create(`c${at}`, 'x'.repeat(50_000));
    for (const { names } of others) await expect.poll(() => names.length, { timeout: 10_000 }).toBe(count);
    // 3 MB have passed: the client holds a window of it, the server what one stream may keep waiting.
    const stats = api.deps.cache.peek(api.endpoint('configmaps').type)?.stats();
    expect(stats?.behind).toBe(1);
    expect(api.deps.watchOutputs.waiting().own).toBeLessThanOrEqual(api.deps.limits.watchBufferBytes);
    stalled.stream.resume();
    await expect.poll(() => stalled.names.length, { timeout: 10_000 }).toBe(count);
    expect(stalled.names).toEqual(others[0]?.names);
    await expect.poll(() => api.deps.cache.peek(api.endpoint('configmaps').type)?.stats().behind).toBe(0);
  });
});

describe('connections of HTTP/2', () => {
  it('say how many streams they take', async () => {
    const on = await session(undefined, { http2MaxStreams: 7 });
    expect(on.remoteSettings.maxConcurrentStreams).toBe(7);
  });

  it('of a closing server take no more streams, and end when those that are open have', async () => {
    const on = await session();
    const open = watch(on);
    const idle = await session();
    await expect.poll(watchers).toBe(1);
    const goaway = once(on, 'goaway');
    const idleClosed = once(idle, 'close');
    const closed = server.listeners.close();
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    await idleClosed;
    await create('late');
    await expect.poll(() => open.names).toEqual(['late']);
    await api.deps.cache.drain(0);
    await closed;
    expect(open.stream.rstCode).toBe(0);
  });

  it('are cut when they flood the server with resets', async () => {
    const accepted = nextAccepted();
    const on = await session();
    const taken = await accepted;
    // Node 20 says goodbye, and the client closes; later ones close at once, and the client may not notice.
    const gone = new Promise((resolve) => {
      on.once('close', resolve);
      taken.once('close', resolve);
    });
    for (let round = 0; round < 60 && !taken.destroyed; round++) {
      for (let at = 0; at < 50 && !on.destroyed; at++) {
        const stream = on.request({ ':path': PATH, ...BEARER });
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await gone;
    expect((await ask(await session(), PATH)).status).toBe(200);
  });
});

import { gzipSync } from 'node:zlib';
import { namesOf } from '@orch/machinery';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Client, type ClientSettings } from './client.js';
import { ApiError, hasReason, isExpired, isTransient, isVersionTooLarge, TransportError } from './errors.js';
import { answer, listOf, refuse, type Script, ScriptedServer, stream, thing } from './testing/scripted-server.js';

const things = { group: 'example.com', version: 'v1', resource: 'things', namespace: 'ns' };
let server: ScriptedServer;
let client: Client;
const waits: number[] = [];

beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
  waits.length = 0;
  client = new Client(server.connection, {
    names: namesOf('orch'),
    sleep: async (ms) => void waits.push(ms),
    maxRetries: 3,
  });
});
afterEach(() => client.close());

const asked = () => server.requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`);

describe('verbs', () => {
  test('paths, queries, bodies and content types', async () => {
    server.script = (_request, response) => answer(response, 200, thing('a', '1'));
    const object = thing('a', '1');
    const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'x/y' };
    expect(await client.get(things, 'a')).toEqual(object);
    await client.get({ ...things, namespace: '' }, 'a', { resourceVersion: '0' }, { subresource: 'status' });
    await client.list(pods, { labelSelector: 'a in (b,c)', limit: 5 });
    await client.create(things, object, { dryRun: 'All', fieldManager: 'me' });
    await client.create(pods, object, {}, { name: 'p', subresource: 'eviction' });
    await client.update(things, object, {}, { subresource: 'status' });
    await client.patch(things, 'a', 'merge', { x: 1 });
    await client.patch(things, 'a', 'apply', object, { force: true, fieldManager: 'me' });
    await client.delete(things, 'a', { propagationPolicy: 'Foreground', preconditions: { uid: 'u' } });
    await client.deleteCollection(things, { fieldSelector: 'metadata.name=a' });
    expect(asked()).toEqual([
      'GET /apis/example.com/v1/namespaces/ns/things/a',
      'GET /apis/example.com/v1/things/a/status?resourceVersion=0',
      'GET /api/v1/namespaces/x%2Fy/pods?labelSelector=a+in+%28b%2Cc%29&limit=5',
      'POST /apis/example.com/v1/namespaces/ns/things?dryRun=All&fieldManager=me',
      'POST /api/v1/namespaces/x%2Fy/pods/p/eviction',
      'PUT /apis/example.com/v1/namespaces/ns/things/a/status',
      'PATCH /apis/example.com/v1/namespaces/ns/things/a',
      'PATCH /apis/example.com/v1/namespaces/ns/things/a?force=true&fieldManager=me',
      'DELETE /apis/example.com/v1/namespaces/ns/things/a',
      'DELETE /apis/example.com/v1/namespaces/ns/things?fieldSelector=metadata.name%3Da',
    ]);
    expect(server.requests[3]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(server.requests[3]?.body ?? '')).toEqual(object);
    expect(server.requests[6]?.headers['content-type']).toBe('application/merge-patch+json');
    expect(server.requests[7]?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(JSON.parse(server.requests[8]?.body ?? '')).toEqual({
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    });
    expect(() => client.get(things, '')).toThrow(TypeError);
  });

  test('one after another, deletions too, share a connection', async () => {
    server.script = (_request, response) => answer(response, 200, thing('a', '1'));
    const opened = vi.fn();
    server.server.on('secureConnection', opened);
    const single = new Client(server.connection, { names: namesOf('orch'), maxConnections: 1 });
    onTestFinished(async () => {
      server.server.off('secureConnection', opened);
      await single.close();
    });
    await single.create(things, thing('a', '1'));
    await single.delete(things, 'a');
    await single.deleteCollection(things);
    await single.get(things, 'a');
    expect(opened).toHaveBeenCalledTimes(1);
  });

  test('pages follow the token, without the version of the first', async () => {
    server.sequence(
      listOf('7', [thing('a', '1')], { continue: 'more' }),
      listOf('7', [thing('b', '2')], { continue: 'last' }),
      listOf('7', []),
    );
    const names: (string | undefined)[] = [];
    for await (const page of client.pages(things, { limit: 1, resourceVersion: '0', labelSelector: 'x' })) {
      names.push(...page.items.map(({ metadata }) => metadata?.name));
    }
    expect(names).toEqual(['a', 'b']);
    expect(server.requests.map(({ url }) => url.search)).toEqual([
      '?limit=1&resourceVersion=0&labelSelector=x',
      '?limit=1&labelSelector=x&continue=more',
      '?limit=1&labelSelector=x&continue=last',
    ]);
  });

  test('raw gives bytes and headers, and keeps the path of the server URL', async () => {
    server.script = (_request, response) => answer(response, 201, { ok: 1 }, { warning: '299 - "old"' });
    const nested = new Client({ ...server.connection, server: `${server.connection.server}/clusters/a/` });
    const response = await nested.raw('POST', '/x', { query: { a: 1, b: undefined }, body: Buffer.from('hi') });
    expect([response.status, response.headers.warning, response.body.toString()]).toEqual([
      201,
      '299 - "old"',
      '{"ok":1}',
    ]);
    expect(asked()).toEqual(['POST /clusters/a/x?a=1']);
    await nested.close();
  });
});

describe('what goes with requests', () => {
  const long = JSON.stringify({ text: 'a'.repeat(100_000) });
  const gzipped: Script = (request, response) => {
    if (request.headers['accept-encoding'] !== 'gzip') response.end(long);
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(long));
  };

  const limited = (settings: ClientSettings): Client => {
    const made = new Client(server.connection, { ...settings, sleep: async (ms) => void waits.push(ms) });
    onTestFinished(() => made.close());
    return made;
  };

  test('answers are asked for in gzip, unless the connection says otherwise', async () => {
    server.script = gzipped;
    expect((await client.raw('GET', '/')).body.toString()).toBe(long);
    const plain = new Client({ ...server.connection, disableCompression: true });
    expect((await plain.raw('GET', '/')).body.toString()).toBe(long);
    await plain.close();
    expect(server.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['gzip', undefined]);
  });

  test('an answer is no longer than is allowed, unpacked or not', async () => {
    server.script = gzipped;
    for (const disableCompression of [true, false]) {
      const bounded = new Client({ ...server.connection, disableCompression }, { maxAnswerBytes: 50_000 });
      await expect(bounded.raw('GET', '/')).rejects.toThrow(TransportError);
      await bounded.close();
    }
  });

  test('no more than 10 at once and 5 a second, but for watches', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const client = limited({});
    server.script = (_request, response) => answer(response, 200, {});
    for (let turn = 0; turn < 10; turn++) await client.raw('GET', '/');
    server.script = stream([]);
    for await (const _ of client.openWatch(things, {})) expect.unreachable('there are no events');
    expect(waits).toEqual([]);
    server.script = (_request, response) => answer(response, 200, {});
    await client.raw('GET', '/');
    expect(waits).toEqual([200]);
    const unlimited = limited({ qps: -1 });
    for (let turn = 0; turn < 20; turn++) await unlimited.raw('GET', '/');
    const other = limited({ qps: 10, burst: 1 });
    for (let turn = 0; turn < 2; turn++) await other.raw('GET', '/');
    expect(waits).toEqual([200, 100]);
  });
});

describe('credentials', () => {
  test('client certificate and bearer token', async () => {
    server.script = (_request, response) => answer(response, 200, {});
    const { cert, key } = server.pki.admin;
    const admin = new Client({ ...server.connection, cert, key, token: 't0' });
    await admin.raw('GET', '/');
    await admin.close();
    await client.raw('GET', '/');
    expect(server.requests.map(({ client: name, headers }) => [name, headers.authorization])).toEqual([
      ['admin', 'Bearer t0'],
      [undefined, undefined],
    ]);
  });

  test('a server that the CA does not vouch for is refused, unless told otherwise', async () => {
    const { ca: _ca, ...unknown } = server.connection;
    const strict = new Client(unknown);
    await expect(strict.raw('GET', '/')).rejects.toThrow(TransportError);
    await strict.close();
    expect(server.requests).toEqual([]);
    server.script = (_request, response) => answer(response, 200, {});
    const lax = new Client({ ...unknown, insecureSkipTlsVerify: true });
    expect((await lax.raw('GET', '/')).status).toBe(200);
    await lax.close();
    const misnamed = new Client({ ...server.connection, tlsServerName: 'elsewhere.example.com' });
    await expect(misnamed.raw('GET', '/')).rejects.toThrow(/elsewhere/);
    await misnamed.close();
  });
});

describe('errors', () => {
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('a Status becomes an ApiError', async () => {
    server.script = refuse(404, 'NotFound');
    const error = await failureOf(client.get(things, 'a'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 404, reason: 'NotFound', message: 'because NotFound' });
    expect(hasReason(error, 'Conflict', 'NotFound')).toBe(true);
    expect(hasReason(error, 'Conflict')).toBe(false);
    expect(isTransient(error)).toBe(false);
    server.script = refuse(410, 'Expired');
    expect(isExpired(await failureOf(client.list(things)))).toBe(true);
    server.script = refuse(504, 'Timeout', {}, { causes: [{ reason: 'ResourceVersionTooLarge' }] });
    const tooLarge = await failureOf(client.list(things));
    expect([isVersionTooLarge(tooLarge), isTransient(tooLarge)]).toEqual([true, true]);
  });

  test('an answer that is no Status still has code and reason', async () => {
    server.script = (_request, response) => response.writeHead(409).end('<html>no</html>');
    expect(await failureOf(client.get(things, 'a'))).toMatchObject({
      code: 409,
      message: 'the server answered 409: <html>no</html>',
    });
    server.script = (_request, response) => response.writeHead(502).end();
    expect(await failureOf(client.get(things, 'a'))).toMatchObject({ code: 502, reason: '' });
  });

  test('Retry-After is obeyed, so often and no more', async () => {
    const busy = refuse(429, 'TooManyRequests', { 'retry-after': '2' });
    const down = refuse(503, 'ServiceUnavailable', { 'retry-after': '1' });
    server.sequence(busy, down, (_request, response) => answer(response, 200, thing('a', '1')));
    await client.update(things, thing('a', '1'));
    expect(waits).toEqual([2000, 1000]);
    expect(new Set(server.requests.map(({ body }) => body)).size, 'the body is sent again').toBe(1);
    server.script = busy;
    expect(await failureOf(client.get(things, 'a'))).toMatchObject({ code: 429, retryAfterMs: 2000 });
    expect(waits).toHaveLength(2 + 3);
    server.script = refuse(500, 'InternalError');
    await failureOf(client.get(things, 'a'));
    expect(waits, 'without the header there is no retry').toHaveLength(5);
  });

  test('no answer, half an answer, and an abort', async () => {
    server.script = (_request, response) => response.destroy();
    const error = await failureOf(client.get(things, 'a'));
    expect(error).toBeInstanceOf(TransportError);
    expect(isTransient(error)).toBe(true);
    server.script = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    };
    expect(await failureOf(client.get(things, 'a'))).toBeInstanceOf(TransportError);
    const abort = new AbortController();
    server.script = () => abort.abort(new Error('enough'));
    expect(await failureOf(client.get(things, 'a', {}, { signal: abort.signal }))).toEqual(new Error('enough'));
    await client.close();
    expect(await failureOf(client.get(things, 'a'))).toBeInstanceOf(TransportError);
  });
});

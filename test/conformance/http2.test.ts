import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import type { ApiList } from '../support/api.js';
import type { WatchEvent } from '../support/watch-stream.js';
import { configMap, configMaps, conformance, createAll, expectStatus } from './conformance.js';

const WATCHES = 300;
/** More than what a client that does not read lets come, and what the server keeps waiting for it. */
const BULK = { count: 40, bytes: 50_000 };

conformance('HTTP/2 [Transports]', ({ api, names, namespace }) => {
  const sessions: ClientHttp2Session[] = [];
  afterEach(() => {
    for (const session of sessions.splice(0)) session.destroy();
  });

  function session(): ClientHttp2Session {
    const opened = connect(api.settings.url, { ...(api.settings.ca && { ca: api.settings.ca }) });
    opened.on('error', () => undefined);
    sessions.push(opened);
    return opened;
  }

  const request = (on: ClientHttp2Session, path: string, headers = {}, body?: string): ClientHttp2Stream => {
    const own = { ':path': path, authorization: `Bearer ${api.settings.token}` };
    const stream = on.request({ ...own, ...headers }, { endStream: body === undefined });
    stream.on('error', () => undefined);
    if (body !== undefined) stream.end(body);
    return stream;
  };

  async function ask(on: ClientHttp2Session, path: string, headers = {}, body?: string) {
    const stream = request(on, path, headers, body);
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece as Buffer);
    return { status: Number(head[':status']), type: head['content-type'], body: Buffer.concat(pieces) };
  }

  /**
   * Returns the answers of a path over both HTTP versions, taken while its content did not change: other tests define
   * kinds, which appear in discovery.
   */
  async function bothAnswers(on: ClientHttp2Session, path: string, headers: Record<string, string>) {
    for (let attempt = 1; ; attempt++) {
      const before = await api.get(path, headers);
      const over2 = await ask(on, path, headers);
      const after = await api.get(path, headers);
      if (before.body.equals(after.body) || attempt === 10) return [after, over2] as const;
    }
  }

  /** The events of a stream, as they come. */
  function events(stream: ClientHttp2Stream): WatchEvent[] {
    const seen: WatchEvent[] = [];
    let text = '';
    stream.on('data', (piece: Buffer) => {
      const lines = (text + piece.toString('latin1')).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) seen.push(JSON.parse(line) as WatchEvent);
    });
    return seen;
  }

  test.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [['http/1.1', 'h2'], 'h2'],
  ])('a client that offers %j gets %s', async (offered, chosen) => {
    const { hostname: host, port } = new URL(api.settings.url);
    const ca = api.settings.ca && { ca: api.settings.ca };
    const socket = connectTls({ host, port: Number(port), ALPNProtocols: offered, ...ca });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(chosen);
    socket.destroy();
  });

  test('what is asked over one version is answered as over the other', async () => {
    const ns = await namespace();
    await createAll(api, ns, ['a', 'b']);
    const on = session();
    const protobuf = { accept: names.protobufMediaType };
    // Others write config maps meanwhile: the newest list need not stay what it was.
    const { metadata } = (await api.get(configMaps(ns))).json<ApiList>();
    const list = `${configMaps(ns)}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    const paths = [list, `${configMaps(ns)}/a`, `${configMaps(ns)}/nosuch`, '/api', '/apis', '/nosuch'];
    for (const path of [...paths, '/api/v1', '/openapi/v3', '/openapi/v2', '/version', '/readyz?verbose']) {
      for (const headers of [{}, protobuf]) {
        const what = `${path} ${JSON.stringify(headers)}`;
        const [over1, over2] = await bothAnswers(on, path, headers);
        expect.soft([over2.status, over2.type], what).toEqual([over1.status, over1.headers['content-type']]);
        expect.soft(over2.body.equals(over1.body), what).toBe(true);
      }
    }
  });

  test('writes', async () => {
    const ns = await namespace();
    const on = session();
    const type = { 'content-type': 'application/json' };
    const post = { ':method': 'POST', ...type };
    const text = JSON.stringify(configMap('a', { data: { a: 'x'.repeat(500_000) } }));
    expect((await ask(on, configMaps(ns), post, text)).status).toBe(201);
    expect((await ask(on, configMaps(ns), post, text)).status).toBe(409);
    expect((await ask(on, configMaps(ns), post, '{')).status).toBe(400);
    expect((await ask(on, configMaps(ns), post, 'x'.repeat(4 << 20))).status).toBe(413);
    expect((await ask(on, `${configMaps(ns)}/a`, { ':method': 'DELETE' })).status).toBe(200);
    expect(expectStatus(await api.get(configMaps(ns)), 200).json<ApiList>().items).toEqual([]);
  });

  test(`${WATCHES} watches share a connection, and one that is not read holds up no other`, async () => {
    const ns = await namespace();
    const on = session();
    const path = (query = '') => `${configMaps(ns)}?watch=1&${query}`;
    const stalled = request(on, path());
    const reading = events(request(on, path()));
    const single = Array.from({ length: WATCHES - 2 }, () => request(on, path('fieldSelector=metadata.name=last')));
    const seen = single.map(events);
    await Promise.all([stalled, ...single].map((stream) => once(stream, 'response')));
    for (let at = 0; at < BULK.count; at++) {
      const body = configMap(`c${at}`, { data: { a: 'x'.repeat(BULK.bytes) } });
      expectStatus(await api.post(configMaps(ns), body), 201);
    }
    await createAll(api, ns, ['last']);
    await expect.poll(() => seen.every(({ length }) => length === 1), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => reading.length, { timeout: 10_000 }).toBe(BULK.count + 1);
    const late = events(stalled);
    await expect.poll(() => late.length, { timeout: 10_000 }).toBe(BULK.count + 1);
    expect(late).toEqual(reading);
  });
});

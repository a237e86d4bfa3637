import { connect } from 'node:http2';
import { request } from 'node:https';
import { type Authenticator, selfSignedPair } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import { namesOf } from '@orch/machinery';
import { HealthRegistry, Metrics } from '@orch/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ComponentServer } from './component-server.js';
import { componentServer } from './open-server.js';
import type { ComponentServerOptions } from './options.js';
import { componentPages } from './pages.js';

const OPTIONS: ComponentServerOptions = {
  bindAddress: '127.0.0.1',
  securePort: 1,
  tlsCertFile: undefined,
  tlsPrivateKeyFile: undefined,
  clientCaFile: undefined,
  authenticationTokenWebhookCacheTtl: 10_000,
  authorizationWebhookCacheAuthorizedTtl: 10_000,
  authorizationWebhookCacheUnauthorizedTtl: 10_000,
  authorizationAlwaysAllowPaths: ['/healthz'],
  unauthenticatedConnectionTimeout: 30_000,
};

let asked: { kind: string; spec: Record<string, unknown> }[];
let fails: boolean;
let server: ComponentServer;
let errors: unknown[];

/** An API that knows the token `known`, whose user may ask for metrics. */
const client = {
  async create(_: unknown, review: { kind: string; spec: Record<string, unknown> }) {
    asked.push(review);
    if (fails) throw new Error('the API is away');
    if (review.kind === 'TokenReview') {
      const isKnown = review.spec.token === 'known';
      return { status: { authenticated: isKnown, ...(isKnown && { user: { username: 'u', groups: ['g'] } }) } };
    }
    const attributes = review.spec.nonResourceAttributes as { path: string };
    return { ...review, status: { allowed: review.spec.user === 'u' && attributes.path === '/metrics' } };
  },
};

beforeEach(async () => {
  [asked, fails, errors] = [[], false, []];
  const metrics = new Metrics();
  metrics.counter({ name: 'things_total', help: 'Things.', labels: [], stability: 'ALPHA' }).with().inc();
  const pages = componentPages(new HealthRegistry(), metrics, () => ({ kind: 'Configuration' }));
  const api = { authentication: client as never, authorization: client as never, names: namesOf('kubernetes') };
  const onError = (error: unknown) => void errors.push(error);
  const opened = await componentServer({ ...OPTIONS, securePort: await freePort() }, { ...api, pages, onError });
  if (!opened) throw new Error('there is no server');
  server = opened;
  await server.start();
});
afterEach(() => server.stop());

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const holder = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => holder.once('listening', resolve));
  const { port } = holder.address() as { port: number };
  await new Promise((resolve) => holder.close(resolve));
  return port;
}

/** Asks for a path. @param token bearer token */
function ask(path: string, token?: string, method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const sent = request(
      { host: '127.0.0.1', port: server.port, path, method, headers, rejectUnauthorized: false, agent: false },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    sent.on('error', reject).end();
  });
}

/** Asks for a path over HTTP/2, with a scheme whose paths have no rules. */
async function askAnyPath(path: string): Promise<number> {
  const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  try {
    const sent = session.request({ ':scheme': 'x', ':path': path, authorization: 'Bearer known' });
    return await new Promise((resolve, reject) => {
      sent.on('error', reject).on('response', ({ ':status': status = 0 }) => resolve(status));
      sent.resume();
    });
  } finally {
    session.destroy();
  }
}

describe('the port of a component', () => {
  it('refuses addresses whose path does not begin with a slash, before anybody is asked for rights', async () => {
    for (const path of ['x:yhealthz', 'x:yexec/metrics/../a']) expect(await askAnyPath(path)).toBe(400);
    expect(asked).toEqual([]);
    expect(await askAnyPath('/metrics')).toBe(200);
  });

  it('tells anybody about its health, and asks nobody about that', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, body: 'ok' });
    expect(asked).toEqual([]);
  });

  it('leaves the stream of a request whose body does not end, once it is answered', async () => {
    const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    const sent = session.request({ ':method': 'POST', ':path': '/metrics' }, { endStream: false });
    const status = new Promise((resolve) => sent.once('response', (headers) => resolve(headers[':status'])));
    await new Promise((resolve) => sent.resume().once('close', resolve));
    expect([await status, sent.rstCode]).toEqual([403, 0]);
    session.destroy();
  });

  it('shows metrics to those who may see them, and keeps the answers', async () => {
    for (let round = 0; round < 2; round++) {
      const { status, body } = await ask('/metrics', 'known');
      expect([status, body.includes('things_total 1')]).toEqual([200, true]);
    }
    expect(asked.map(({ kind }) => kind)).toEqual(['TokenReview', 'SubjectAccessReview']);
    expect(asked[1]?.spec).toMatchObject({
      ...{ user: 'u', groups: ['g', 'system:authenticated'] },
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
  });

  it.each([
    ['/metrics', 'other', 401, 'Unauthorized\n'],
    ['/metrics', undefined, 403, 'forbidden: User "system:anonymous" cannot get path "/metrics"\n'],
    ['/configz', 'known', 403, 'forbidden: User "u" cannot get path "/configz"\n'],
    ['/healthz/../metrics', undefined, 403, 'forbidden: User "system:anonymous" cannot get path "/metrics"\n'],
  ])('refuses %s to the token %s', async (path, token, status, body) => {
    expect(await ask(path, token)).toEqual({ status, body });
  });

  it('refuses other methods, and paths that there are not', async () => {
    expect((await ask('/metrics', 'known', 'POST')).status).toBe(405);
    expect((await ask('/healthz/none')).status).toBe(403);
  });

  it('answers without details where the API does not', async () => {
    fails = true;
    expect((await ask('/metrics', 'known')).status).toBe(401);
    expect(await ask('/metrics')).toEqual({ status: 500, body: 'Internal Server Error\n' });
    expect(errors).toHaveLength(1);
  });
});

describe('connections of strangers', () => {
  /** Opens a connection of HTTP/2, keeps it alive by pings, and asks. Resolves with the session once that is answered. */
  async function converse(port: number, token?: string): Promise<{ readonly closed: Promise<void>; end(): void }> {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const closed = new Promise<void>((resolve) => session.once('close', () => resolve()));
    session.on('error', () => undefined);
    const ping = () => void (session.destroyed || session.ping(() => setImmediate(ping)));
    await new Promise<void>((resolve) => session.once('connect', () => resolve()));
    ping();
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const stream = session.request({ ':path': '/metrics', ...headers });
    stream.on('error', () => undefined);
    await new Promise<void>((resolve) => stream.resume().once('close', () => resolve()));
    return { closed, end: () => session.destroy() };
  }

  it('are closed, whatever pings they send; those that carried a request that was allowed stay', async () => {
    const strict = new ComponentServer({
      ...{ address: '127.0.0.1', port: 0, pair: await selfSignedPair('127.0.0.1', Date.now()), allowedPaths: [] },
      strangerMs: 300,
      authenticator: {
        authenticate: async ({ headers }) => ({
          user: { name: headers.authorization === 'Bearer known' ? 'u' : 'nobody', groups: [], extra: {} },
          method: 'token',
        }),
      } as Authenticator,
      authorizer: {
        authorize: async ({ name }) => ({ decision: name === 'u' ? 'allow' : 'deny', reason: '' }),
      } as Authorizer,
      handler: { request: async (_request, response) => void response.end('ok') },
      onError: () => undefined,
    });
    await strict.start();
    const guest = await converse(strict.port, 'known');
    const strangers = await Promise.all([converse(strict.port), converse(strict.port, 'other')]);
    await Promise.all(strangers.map(({ closed }) => closed));
    const state = await Promise.race([
      guest.closed.then(() => 'closed'),
      converse(strict.port).then(({ closed }) => closed),
    ]);
    expect(state).not.toBe('closed');
    guest.end();
    await strict.stop();
  });
});

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { namesOf } from '@orch/machinery';
import { Metrics, silentLogger, systemClock } from '@orch/runtime';
import { HandedStreams, OpenWatches, OutgoingConnections, SlowClients } from '@orch/serving';
import {
  listenerOf,
  openServer,
  registrationOf,
  startExtension,
  type TestApi,
  type TestExtension,
  type TestServer,
  testApi,
} from '@orch/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Aggregator } from './aggregator.js';
import type { Registration } from './registration.js';
import { RemoteRegistrations } from './remote-registrations.js';

const names = namesOf('kubernetes');
const NONE = { inAll: 0, perUser: 0 };
const STREAM_START_MS = 500;
const THINGS = '/apis/example.com/v1/things';

let extension: TestExtension;
let api: TestApi;
let server: TestServer;
/** One, as a process has: connections to other servers outlive a test. */
const connections = new OutgoingConnections();
let streams: HandedStreams;
let metrics: Metrics;
let registrations: Registration[];
const aggregator = (maxRequests = 1) =>
  new Aggregator({
    registrations: () => new RemoteRegistrations(registrations, names),
    extensions: { of: () => extension.target },
    maxRequests,
    streamStartMs: STREAM_START_MS,
    unreadMs: 0,
  });

beforeAll(async () => {
  extension = await startExtension();
  api = await testApi();
});
afterAll(() => extension.stop());
beforeEach(async () => {
  registrations = [registrationOf()];
  streams = new HandedStreams({ connections });
  metrics = new Metrics();
  extension.answer = (req, res) => void res.end(`theirs ${req.url}`);
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  server = await openServer(listenerOf(api, { aggregator: aggregator(), streams, watches, metrics }));
});
afterEach(() => server.close());

const answered = async (path: string) => {
  const { status, body } = await server.ask(path);
  return [status, body.toString().startsWith('theirs')];
};

it('streams of another server may last longer than requests', async () => {
  const hasty = await testApi({ requestTimeoutMs: 100 });
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const more = { aggregator: aggregator(2), streams, watches, metrics: new Metrics() };
  const own = await openServer(listenerOf(hasty, more));
  let answer: (() => void) | undefined;
  extension.answer = (req, res) => {
    if (req.url?.endsWith('/log')) answer = () => void res.end('theirs');
  };
  const log = own.ask('/apis/example.com/v1/namespaces/mine/things/a/log');
  await expect.poll(() => answer).toBeDefined();
  await expect.poll(async () => (await own.ask(`${THINGS}/a`)).status).toBe(504);
  answer?.();
  expect((await log).status).toBe(200);
  await own.close();
  hasty.close();
});

it('streams of another server take no place of a request, count among watches, and have to begin', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const own = await openServer(
    listenerOf(api, { aggregator: aggregator(1), streams, watches, metrics: new Metrics() }),
  );
  extension.answer = (req, res) => {
    if (!req.url?.endsWith('/log')) res.end('theirs');
  };
  const log = own.ask(`${THINGS}/a/log`);
  await expect.poll(() => watches.size).toBe(1);
  expect((await own.ask(THINGS)).status).toBe(200);
  expect((await log).status).toBe(503);
  await expect.poll(() => watches.size).toBe(0);
  await own.close();
});

describe('a group-version that is registered for another server', () => {
  it.each(['%2F', '%2f'])('is not asked for a path that it might read as another: %s', async (slash) => {
    const { status, body } = await server.ask(`/apis/example.com/v1/namespaces/mine${slash}things/a`);
    expect([status, body.toString()]).toEqual([400, expect.stringContaining('a segment of the path holds a slash')]);
    expect(await answered(`${THINGS}?labelSelector=a${slash}b`)).toEqual([200, true]);
  });

  it.each(['../secrets', '%2e%2e/secrets', '.%2E/secrets', './status', 'a/..', 'a/proxy/x/../../y'])(
    'nor for one that steps elsewhere: %s',
    async (rest) => {
      const { status, body } = await server.ask(`${THINGS}/${rest}`);
      expect([status, body.toString()]).toEqual([400, expect.stringContaining('a segment of the path is . or ..')]);
    },
  );

  it.each([
    [THINGS, true],
    [`${THINGS}/..a`, true],
    [`${THINGS}/a..`, true],
    ['/apis/example.com/v1', true],
    ['/apis/example.com/v1/', true],
    ['/apis/example.com/v1/namespaces/a/things/b/c/d', true],
    ['/openapi/v3/apis/example.com/v1?hash=1', true],
    ['/apis/%65xample.com/v1/things', true],
    ['/apis/example.com/v1//things', false],
    ['/apis/example.com', false],
    ['/apis/example.com/v2/things', false],
    ['/openapi/v2', false],
  ])('is asked for %s: %s', async (path, isTheirs) => {
    expect((await answered(path))[1]).toBe(isTheirs);
  });

  it('answers with bytes that are counted', async () => {
    await server.close();
    const lines: (Record<string, unknown> | undefined)[] = [];
    const logger = { ...silentLogger, warn: (_: string, fields?: Record<string, unknown>) => void lines.push(fields) };
    server = await openServer(listenerOf(api, { aggregator: aggregator(), streams, logger, slowRequestMs: 1e-9 }));
    extension.answer = (_req, res) => {
      res.write('in parts, ');
      res.end('without a length');
    };
    expect((await server.ask(THINGS)).body.toString()).toBe('in parts, without a length');
    await expect.poll(() => lines).toMatchObject([{ bytes: 'in parts, without a length'.length }]);
  });

  it('is not asked while it is not there', async () => {
    registrations = [registrationOf({ reported: { status: 'False', reason: 'x', message: '' } })];
    expect(await answered(THINGS)).toEqual([503, false]);
    registrations = [registrationOf({ reported: undefined })];
    expect(await answered(THINGS)).toEqual([503, false]);
  });

  it('is sent what came while it was served here, and no more than it may be', async () => {
    const slowClients = new SlowClients({ bodies: NONE, answers: NONE, answerBytes: NONE }, systemClock);
    await server.close();
    server = await openServer(listenerOf(api, { aggregator: aggregator(), streams, flow: { slowClients } }));
    extension.answer = (req, res) => void text(req).then((body) => res.end(`theirs ${body}`));
    const begin = async (length: number) => {
      registrations = [];
      const path = '/apis/apps/v1/namespaces/default/deployments';
      const headers = { 'Content-Length': length };
      const sent = request({ port: server.port, path, method: 'POST', headers, agent: false });
      const answer = once(sent, 'response').then(async ([res]) => [res.statusCode, await text(res)]);
      sent.write('12');
      await expect.poll(() => slowClients.bodies.held).toBe(1);
      registrations = [registrationOf({ name: 'v1.apps', group: 'apps', version: 'v1' })];
      return { sent, answer };
    };
    const whole = await begin(5);
    whole.sent.end('345');
    expect(await whole.answer).toEqual([200, 'theirs 12345']);
    const cut = await begin(5);
    cut.sent.destroy();
    await expect(cut.answer).rejects.toThrow();
    await expect.poll(() => slowClients.bodies.held).toBe(0);
  });

  it('is never that of registrations themselves', async () => {
    const spec = { group: 'apiregistration.k8s.io', version: 'v1' };
    registrations = [registrationOf({ ...spec, name: 'v1.apiregistration.k8s.io' })];
    expect((await answered('/apis/apiregistration.k8s.io/v1/apiservices'))[1]).toBe(false);
  });

  it('is asked so often at a time at most, and again when an answer has left', async () => {
    let finish = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      extension.answer = (_req, res) => {
        finish = () => void res.end('theirs');
        resolve();
      };
    });
    const first = answered(THINGS);
    await asked;
    const refused = await server.ask(THINGS);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect((await metrics.text()).body).toContain('orch_limit_refusals_total{limit="extension-requests"} 1');
    finish();
    expect(await first).toEqual([200, true]);
    extension.answer = (_req, res) => void res.end('theirs');
    await expect.poll(() => answered(THINGS)).toEqual([200, true]);
  });

  it('is not asked for what comes back', async () => {
    let back: Promise<number> | undefined;
    extension.answer = (req, res) => {
      const headers = { via: String(req.headers.via) };
      back = server.ask(THINGS, { headers }).then(({ status }) => status);
      void back.then(() => res.end('theirs'));
    };
    expect(await answered(THINGS)).toEqual([200, true]);
    expect(await back).toBe(503);
  });

  it('is asked once more where a connection that was kept is gone', async () => {
    expect(await answered(THINGS)).toEqual([200, true]);
    let cut = 0;
    extension.answer = (req, res) => {
      if (cut++ === 0) req.socket.destroy();
      else res.end('theirs');
    };
    expect(await answered(THINGS)).toEqual([200, true]);
    cut = 0;
    expect((await server.ask(THINGS, { method: 'POST', body: '{}' })).status).toBe(503);
  });

  it('is not waited for with the head of a watch for ever', async () => {
    extension.answer = () => undefined;
    const start = performance.now();
    const { status, body } = await server.ask(`${THINGS}?watch=1&timeoutSeconds=3600`);
    expect([status, body.toString()]).toEqual([503, expect.stringContaining('no answer within 500 ms')]);
    expect(performance.now() - start).toBeGreaterThanOrEqual(STREAM_START_MS - 5);
  });

  it('is reached over connections that are watched over, also for what is no stream', async () => {
    const keep = vi.spyOn(streams.connections, 'keep');
    expect(await answered(THINGS)).toEqual([200, true]);
    expect(keep).toHaveBeenCalledTimes(1);
  });

  it('is watched behind the others, until this server ends', async () => {
    extension.answer = (_req, res) => void res.writeHead(200, { 'content-type': 'application/json' }).write('{}\n{"h');
    const answer = await new Promise<IncomingMessage>((resolve) => {
      request({ port: server.port, path: `${THINGS}?watch=1` }, resolve).end();
    });
    // Watches take no place of a request.
    const other = await new Promise<IncomingMessage>((resolve) => {
      request({ port: server.port, path: `${THINGS}?watch=1` }, resolve).end();
    });
    expect(streams.size).toBe(2);
    for (const each of [answer, other]) each.on('error', () => undefined).resume();
    await streams.drain(0);
    expect((await server.ask(THINGS)).status).toBe(429);
  });
});

import { Metrics, Tracing } from '@orch/runtime';
import { type ListenOverrides, listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestIdOf } from '../http/request-id.js';
import { Inflight } from './inflight.js';
import { dryRunOf, methodLabel, metricVerb, rootOf, scopeOf } from './request-labels.js';
import { RequestTrail } from './request-trail.js';

describe('labels', () => {
  it('say what is asked for in the words of the reference system', () => {
    expect(metricVerb('deletecollection', undefined)).toBe('DELETECOLLECTION');
    expect(metricVerb('patch', 'application/merge-patch+json')).toBe('PATCH');
    expect(metricVerb('patch', 'application/apply-patch+yaml; charset=utf-8')).toBe('APPLY');
    expect(metricVerb('create', undefined, 'exec')).toBe('CONNECT');
    expect(metricVerb('get', undefined, 'log')).toBe('CONNECT');
    expect(metricVerb('create', undefined, 'eviction')).toBe('POST');
    expect(scopeOf('create', 'ns', '')).toBe('resource');
    expect(scopeOf('list', 'ns', '')).toBe('namespace');
    expect(scopeOf('list', '', '')).toBe('cluster');
    expect(dryRunOf(new URLSearchParams('dryRun=All&dryRun=All'))).toBe('All');
    expect(dryRunOf(new URLSearchParams('watch=1'))).toBe('');
  });

  it('hold nothing that a client has made up', () => {
    expect(dryRunOf(new URLSearchParams('dryRun=whatever'))).toBe('invalid');
    expect(methodLabel('BREW')).toBe('OTHER');
    expect(rootOf('/apis/made.up/v1/things')).toBe('/apis');
    expect(rootOf('/metrics/slis')).toBe('/metrics/slis');
    expect(rootOf('/apisnot')).toBe('');
  });
});

it('a request id is taken over when it is one, and made otherwise', () => {
  const of = (id?: string) => requestIdOf({ headers: { 'audit-id': id } });
  expect(of('a-b-c')).toBe('a-b-c');
  for (const bad of [undefined, '', 'x'.repeat(65), 'a b', 'a\tb', 'ä']) expect(of(bad)).toMatch(/^[0-9a-f-]{36}$/);
});

it('most requests at a time within the last second', () => {
  const inflight = new Inflight();
  inflight.enter(10_000);
  inflight.enter(10_001);
  inflight.leave();
  expect(inflight.highest(10_500)).toBe(2);
  expect(inflight.highest(11_200), 'still within a second of the window before').toBe(2);
  expect(inflight.highest(12_300)).toBe(1);
  inflight.leave();
  expect(inflight.highest(20_000)).toBe(0);
});

it('the legs of a request add up to what it took', () => {
  const trail = new RequestTrail(100);
  Object.assign(trail, { authenticated: 101, received: 103, decoded: 106, answering: 130 });
  trail.wrote(5, 12);
  expect(trail.legs(133)).toEqual({
    authenticate: 1,
    receive: 2,
    decode: 3,
    wait: 5,
    commit: 12,
    handle: 7,
    send: 3,
  });
  expect(new RequestTrail(100).legs(133), 'a request refused at once').toEqual({});
});

describe('through the listener', () => {
  const PATH = '/api/v1/namespaces/default/configmaps';
  let api: TestApi;
  let server: TestServer | undefined;
  let metrics: Metrics;
  const lines: [string, Record<string, unknown> | undefined][] = [];
  const logger = {
    info: () => undefined,
    warn: (message: string, fields?: Record<string, unknown>) => void lines.push([message, fields]),
    error: () => undefined,
    v: () => undefined,
    with: () => logger,
  };

  beforeEach(async () => {
    api = await testApi();
    metrics = new Metrics();
    lines.length = 0;
  });
  afterEach(async () => {
    await server?.close();
    api.close();
  });

  async function serve(overrides: ListenOverrides = {}): Promise<TestServer> {
    server = await openServer(listenerOf(api, { metrics, logger, ...overrides }));
    return server;
  }
  const later = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));
  const samples = async (name: string) =>
    (await metrics.text()).body.split('\n').filter((line) => line.startsWith(`${name}{`));

  it('what hostile clients send makes no series of its own', async () => {
    const { ask } = await serve();
    const before = 400;
    for (let at = 0; at < 100; at++) {
      await ask(`/apis/group-${at}/v${at}/things/${at}`);
      await ask(`/${at}/${'x'.repeat(at)}`, { method: 'PUT' });
      await ask(`${PATH}/${at}?dryRun=${at}`, { method: 'DELETE' });
      await ask(`${PATH}/c?fieldManager=${at}`, {
        method: 'PATCH',
        headers: { 'content-type': `application/x-${at}` },
      });
    }
    const lines = (await metrics.text()).body.split('\n').filter((line) => !line.startsWith('#'));
    expect(lines.length).toBeLessThan(before);
    expect(lines.join('\n')).not.toMatch(/group-|x-9|"99"/);
    const counted = (await samples('apiserver_request_total')).map((line) => Number(line.split(' ').at(-1)));
    expect(counted.reduce((sum, count) => sum + count)).toBe(400);
  });

  it('requests that run out of time are counted as terminated', async () => {
    api.close();
    api = await testApi({ requestTimeoutMs: 20 });
    api.store.beforeWrite = () => later(100);
    const { ask } = await serve();
    const body = JSON.stringify({ metadata: { name: 'late' } });
    const headers = { 'content-type': 'application/json' };
    expect((await ask(PATH, { method: 'POST', headers, body })).status).toBe(504);
    expect(await samples('apiserver_request_terminations_total')).toEqual([
      expect.stringMatching(/verb="POST".*resource="configmaps".*code="504"} 1$/),
    ]);
  });

  it('a slow request is logged with its id and legs, and without what it carried', async () => {
    api.store.beforeWrite = () => later(250);
    const { ask } = await serve({ slowRequestMs: 200 });
    const headers = { 'content-type': 'application/json', 'audit-id': 'mine', authorization: 'Bearer s3cret' };
    const body = JSON.stringify({ metadata: { name: 'slow' }, data: { password: 's3cret' } });
    const answer = await ask(`${PATH}?fieldManager=s3cret`, { method: 'POST', headers, body });
    expect([answer.status, answer.headers['audit-id']]).toEqual([201, 'mine']);
    await ask(`${PATH}/slow`);
    expect(lines).toHaveLength(1);
    const [message, fields] = lines[0] ?? [];
    expect(message).toBe('slow request');
    expect(fields).toMatchObject({ requestID: 'mine', method: 'POST', path: PATH, code: 201 });
    expect(Object.keys(fields?.legsMs as object)).toEqual(['authenticate', 'receive', 'decode', 'handle', 'send']);
    expect(JSON.stringify(fields)).not.toContain('s3cret');
  });

  it.each([
    ['GET', '/document', {}, 5_000],
    ['GET', '/document', { range: 'bytes=10-19' }, 10],
    ['HEAD', '/document', {}, 0],
    ['GET', PATH, {}, undefined],
  ])('and with the bytes of its answer, whoever gives that: %s %s %j', async (method, path, headers, bytes) => {
    const app = express().get('/document', (req, res) => {
      const [from, to] = req.headers.range?.match(/\d+/g)?.map(Number) ?? [0, 4_999];
      res.send(Buffer.alloc(5_000, 'x').subarray(from, (to ?? 0) + 1));
    });
    const { ask } = await serve({ slowRequestMs: 1e-9, fallback: app });
    const { body } = await ask(path, { method, headers });
    expect(lines.map(([, fields]) => fields?.bytes)).toEqual([bytes ?? body.length]);
  });

  it('what was noted for audit is logged and traced: that a version is deprecated, and when it goes', async () => {
    const OLD = '/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas';
    const attributes: Record<string, unknown>[] = [];
    const tracer = {
      startSpan: () => ({
        spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
        setAttributes: (of: Record<string, unknown>) => attributes.push(of),
        end: () => undefined,
      }),
    };
    const tracing = new Tracing({ tracer: tracer as never, close: async () => undefined }, 1e6);
    const { ask } = await serve({ tracing, slowRequestMs: 1e-9 });
    expect((await ask(OLD)).status).toBe(200);
    expect((await ask(PATH)).status).toBe(200);
    const noted = { 'orch.io/deprecated': 'true', 'orch.io/removed-release': '1.29' };
    expect(lines.map(([, fields]) => fields?.annotations)).toEqual([noted, undefined]);
    const traced = attributes.filter((of) => 'http.response.status_code' in of);
    expect(traced).toEqual([
      {
        'http.response.status_code': 200,
        'audit.annotation.orch.io/deprecated': 'true',
        'audit.annotation.orch.io/removed-release': '1.29',
      },
      { 'http.response.status_code': 200 },
    ]);
  });

  it('a trace is begun for callers with credentials only, and not for others', async () => {
    const traced: string[] = [];
    const tracer = {
      startSpan: (name: string) => {
        traced.push(name);
        const context = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
        return { spanContext: () => context, setAttributes: () => undefined, end: () => undefined };
      },
    };
    const tracing = new Tracing({ tracer: tracer as never, close: async () => undefined }, 0);
    const { ask } = await serve({ tracing });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect((await ask(PATH, { headers: { traceparent } })).status).toBe(200);
    expect(traced).toEqual(['LIST configmaps', 'authenticate', 'send']);
    await ask(PATH);
    expect(traced, 'nobody asked for this one').toHaveLength(3);
  });
});

import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type Authenticator, authenticated } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import { boundedTurns, FairTurns, flowMetrics, flowPages } from '@orch/fairness';
import {
  AT_ONCE,
  bootstrapSchemas,
  FlowController,
  flowSchemaOf,
  ONE_SEAT,
  type PriorityLevel,
  priorityLevelOf,
} from '@orch/flowcontrol';
import { namesOf, StatusError } from '@orch/machinery';
import { Metrics, systemClock } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { SharedBound } from '@orch/runtime/work';
import {
  type ListenOverrides,
  listenerOf,
  openSecureServer,
  openServer,
  type TestApi,
  type TestServer,
  TOKEN,
  testApi,
} from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandedStreams } from '../proxying/handed-streams.js';
import { WatchProxy } from '../proxying/watch-proxy.js';
import { OpenWatches } from '../watching/open-watches.js';
import { refusalFrames } from '../watching/refusal-frame.js';
import type { OpenContext } from './new-context.js';
import { requestInfo } from './request-info.js';
import { SlowClients } from './slow-clients.js';
import type { RequestSeat } from './turns.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const NONE = { inAll: 0, perUser: 0 };
const REFUSAL = { reason: 'TooManyRequests', code: 429, message: 'Too many requests, please try again later.' };

/** Who asks stands in a header. */
const byHeader: Authenticator = {
  async authenticate({ headers }) {
    const name = String(headers['x-user'] ?? 'jane');
    return authenticated({ name, groups: name === 'root' ? ['system:masters'] : [], extra: {} }, 'token');
  },
};

let api: TestApi;
let metrics: Metrics;
const servers: TestServer[] = [];
beforeEach(async () => {
  api = await testApi();
  metrics = new Metrics();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  api.close();
});

async function serve(overrides: ListenOverrides): Promise<TestServer> {
  const server = await openServer(listenerOf(api, { authenticator: byHeader, metrics, ...overrides }));
  servers.push(server);
  return server;
}

/** Holds all writes up until they are let go. */
function heldWrites() {
  const waiting: (() => void)[] = [];
  api.store.beforeWrite = () => new Promise((resolve) => waiting.push(() => resolve(undefined)));
  return {
    waiting,
    letGo() {
      api.store.beforeWrite = () => undefined;
      for (const release of waiting.splice(0)) release();
    },
  };
}

const post = (server: TestServer, name: string, user = 'jane') =>
  server.ask(PATH, { method: 'POST', headers: { 'X-User': user }, body: JSON.stringify({ metadata: { name } }) });
const sample = async (series: string) =>
  Number(
    (await metrics.text()).body
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  );

/** Turns of a process with so many seats, and queues for them unless `queues` is 0. */
function fairTurns(seats: number, maxWaitMs = 60_000, queues = 64, work = () => ONE_SEAT) {
  const limitResponse =
    queues === 0 ? { type: 'Reject' } : { type: 'Queue', queuing: { queues, handSize: 1, queueLengthLimit: 5 } };
  const level = priorityLevelOf('all', 'level-uid', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 1_000, limitResponse },
  });
  const schema = flowSchemaOf('all', 'schema-uid', {
    matchingPrecedence: 1_000,
    priorityLevelConfiguration: { name: 'all' },
    distinguisherMethod: { type: 'ByUser' },
    rules: (bootstrapSchemas(api.deps.names).find(({ name }) => name === 'global-default')?.spec.rules ?? []) as never,
  });
  const probes = bootstrapSchemas(api.deps.names).find(({ name }) => name === 'probes');
  const told = flowMetrics(metrics);
  const controller = new FlowController({
    seats,
    maxWaitMs,
    clock: systemClock,
    observer: told.observer,
    pace: AT_ONCE,
  });
  controller.configure([level as PriorityLevel], [schema, flowSchemaOf('probes', '', probes?.spec ?? {})]);
  const turns = new FairTurns({ controller, work, metrics: told });
  return { turns, pages: flowPages(controller) };
}

const SERIES = '{priority_level="all",flow_schema="all"}';

describe('requests in flight', () => {
  it('wait when there is no seat, and are carried out when others are done', async () => {
    const { turns, pages } = fairTurns(2);
    const server = await serve({ flow: { turns } });
    const writes = heldWrites();
    const answers = ['a', 'b', 'c', 'd'].map((name) => post(server, name));
    await expect.poll(() => writes.waiting.length).toBe(2);
    const queued = () => sample('apiserver_current_inqueue_requests{request_kind="mutating"}');
    await expect.poll(queued).toBe(2);
    expect(await sample('apiserver_current_inflight_requests{request_kind="mutating"}')).toBe(2);
    expect(await sample(`apiserver_flowcontrol_current_inqueue_requests${SERIES}`)).toBe(2);
    expect(await sample(`apiserver_flowcontrol_request_concurrency_in_use${SERIES}`)).toBe(2);
    const page = (name: string, query = '') =>
      pages.get(`/debug/api_priority_and_fairness/${name}`)?.(new URLSearchParams(query)) ?? '';
    expect(page('dump_priority_levels')).toMatch(/^all, +1, +false, +false, +2, +2, +2, +0, +0, +0 *$/m);
    expect(page('dump_queues')).toMatch(/^all, +\d+, +2, +2, +2, +0\.\d+ss, +2, +2, +0\.006\d+ss *$/m);
    expect(page('dump_requests')).toMatch(/^all, +all, +\d+, +1, +jane, +\S+Z, +1, +0, +0ms *$/m);
    const detailed = /jane, +create, +\/api\/v1\/namespaces\/default\/configmaps, +default, +, +v1, +configmaps, +$/m;
    expect(page('dump_requests', 'includeRequestDetails=1')).toMatch(detailed);
    writes.letGo();
    const done = await Promise.all(answers);
    expect(done.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    for (const { headers } of done)
      expect(headers).toMatchObject({
        'x-kubernetes-pf-flowschema-uid': 'schema-uid',
        'x-kubernetes-pf-prioritylevel-uid': 'level-uid',
      });
    await expect.poll(() => sample(`apiserver_flowcontrol_request_concurrency_in_use${SERIES}`)).toBe(0);
    expect(await sample(`apiserver_flowcontrol_dispatched_requests_total${SERIES}`)).toBe(4);
  });

  it('are refused when none is done in time, and say when to come again', async () => {
    const server = await serve({ flow: fairTurns(1, 50) });
    const writes = heldWrites();
    const first = post(server, 'a');
    await expect.poll(() => writes.waiting.length).toBe(1);
    const { status, headers, body } = await post(server, 'b');
    expect([status, headers['retry-after'], headers['x-kubernetes-pf-flowschema-uid']]).toEqual([
      429,
      '1',
      'schema-uid',
    ]);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', ...REFUSAL });
    expect(await sample('orch_limit_refusals_total{limit="requests"}')).toBe(1);
    const rejected =
      'apiserver_flowcontrol_rejected_requests_total{priority_level="all",flow_schema="all",reason="time-out"}';
    expect(await sample(rejected)).toBe(1);
    writes.letGo();
    expect((await first).status).toBe(201);
    expect(api.stored('configmaps', 'b')).toBeUndefined();
  });

  it('of one user do not keep another waiting behind all of them', async () => {
    const server = await serve({ flow: fairTurns(1) });
    const writes = heldWrites();
    const order: string[] = [];
    const ask = async (name: string, user: string) => {
      const { status } = await post(server, name, user);
      order.push(user);
      return status;
    };
    const answers = ['a', 'b', 'c', 'd', 'e'].map((name) => ask(name, 'jane'));
    const queued = () => sample('apiserver_current_inqueue_requests{request_kind="mutating"}');
    await expect.poll(queued).toBe(4);
    answers.push(ask('f', 'joe'));
    await expect.poll(queued).toBe(5);
    writes.letGo();
    expect(await Promise.all(answers)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(order.indexOf('joe')).toBeLessThan(3);
  });

  it('that nobody waits for any more take no seat', async () => {
    const server = await serve({ flow: fairTurns(1) });
    const writes = heldWrites();
    const first = post(server, 'a');
    await expect.poll(() => writes.waiting.length).toBe(1);
    const gone = request({ port: server.port, path: `${PATH}/a`, headers: { 'X-User': 'joe' }, agent: false }).end();
    gone.on('error', () => undefined);
    const waiting = () => sample(`apiserver_flowcontrol_current_inqueue_requests${SERIES}`);
    await expect.poll(waiting).toBe(1);
    gone.destroy();
    await expect.poll(waiting).toBe(0);
    writes.letGo();
    expect((await first).status).toBe(201);
  });

  it('are refused at once, each kind beyond its bound, where nobody waits', async () => {
    const server = await serve({ flow: { turns: boundedTurns({ mutating: 1, readOnly: 1 }) } });
    const writes = heldWrites();
    const first = post(server, 'a');
    await expect.poll(() => writes.waiting.length).toBe(1);
    expect((await post(server, 'b')).status).toBe(429);
    expect((await server.ask(PATH)).status, 'reads have a bound of their own').toBe(200);
    const root = post(server, 'c', 'root');
    await expect.poll(() => writes.waiting.length).toBe(2);
    writes.letGo();
    expect([(await first).status, (await root).status]).toEqual([201, 201]);
  });

  it('of administrators and probes are let past, and watches that have begun have no seat', async () => {
    const fallback: ListenOverrides['fallback'] = (_req, res) => res.end();
    const server = await serve({ fallback, flow: fairTurns(1, 60_000, 0) });
    const stream = await watch(server);
    expect(stream.answer.statusCode).toBe(200);
    const writes = heldWrites();
    const first = post(server, 'a');
    await expect.poll(() => writes.waiting.length).toBe(1);
    const refused = [post(server, 'b'), server.ask(`${PATH}/a`), server.ask('/version'), watch(server)];
    const statuses = (await Promise.all(refused)).map((got) => ('status' in got ? got.status : got.answer.statusCode));
    expect(statuses).toEqual([429, 429, 429, 429]);
    expect((await server.ask('/readyz')).status).toBe(200);
    const root = post(server, 'c', 'root');
    await expect.poll(() => writes.waiting.length).toBe(2);
    writes.letGo();
    expect([(await first).status, (await root).status]).toEqual([201, 201]);
    await expect.poll(stream.text).toContain('"name":"a"');
    stream.answer.destroy();
  });

  it('hold their seat until the answer has left, or waits for nobody but its client', async () => {
    await api.create('configmaps', { metadata: { name: 'large' }, data: { text: 'x'.repeat(900_000) } });
    const clock = new ManualClock();
    const slowClients = new SlowClients({ bodies: NONE, answers: NONE, answerBytes: NONE }, clock);
    const server = await openSecureServer(api, { flow: { ...fairTurns(1, 60_000, 0), slowClients } });
    const client = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: server.pki.ca.cert });
    const headers = { ':path': `${PATH}/large`, authorization: `Bearer ${TOKEN}` };
    const slow = client.request(headers);
    const [answered] = await once(slow, 'response');
    expect(answered[':status']).toBe(200);
    const refused = client.request({ ...headers, ':path': '/version' });
    expect((await once(refused, 'response'))[0][':status']).toBe(429);
    clock.advanceNow(200);
    expect([slowClients.answers.held, slowClients.answerBytes.held > 0]).toEqual([1, true]);
    const beside = client.request({ ...headers, ':path': '/version' });
    expect((await once(beside, 'response'))[0][':status']).not.toBe(429);
    slow.resume();
    await once(slow, 'close');
    await expect.poll(() => slowClients.answers.held).toBe(0);
    const later = client.request({ ...headers, ':path': '/version' });
    expect((await once(later, 'response'))[0][':status']).not.toBe(429);
    client.destroy();
    await server.close();
  });
});

describe('a request in the middle of its answer', () => {
  /** A request that asks, and one that leaves. */
  function asking(name = 'jane') {
    const res = Object.assign(new EventEmitter(), { headersSent: true });
    const info = requestInfo('GET', PATH, new URLSearchParams());
    return { user: { name, groups: ['system:authenticated'], extra: {} }, info, res } as unknown as OpenContext;
  }

  it('waits for a seat as others do, and is no request more', async () => {
    const { turns } = fairTurns(1);
    const first = await turns.take(asking());
    const again = turns.takeAgain(asking('joe'));
    const left = asking('ann');
    const gone = turns.takeAgain(left);
    expect([again, gone].every((turn) => turn instanceof Promise)).toBe(true);
    left.res.emit('close');
    expect(await gone).toBeUndefined();
    first?.leave();
    const turn = await again;
    expect(turn?.isExempt).toBe(false);
    expect(await sample(`apiserver_flowcontrol_request_concurrency_in_use${SERIES}`)).toBe(1);
    turn?.leave();
    const atOnce = turns.takeAgain(asking());
    expect(atOnce).toMatchObject({ isExempt: false });
    (atOnce as RequestSeat).leave();
    expect(await sample(`apiserver_flowcontrol_request_concurrency_in_use${SERIES}`)).toBe(0);
    expect(await sample(`apiserver_flowcontrol_dispatched_requests_total${SERIES}`)).toBe(1);
  });

  it('takes as many seats as before, and holds none behind its answer', async () => {
    const { turns } = fairTurns(4, 60_000, undefined, () => ({ initialSeats: 3, finalSeats: 4, additionalMs: 60_000 }));
    const again = turns.takeAgain(asking()) as RequestSeat;
    const inUse = () => sample(`apiserver_flowcontrol_request_concurrency_in_use${SERIES}`);
    expect(await inUse()).toBe(3);
    again.leave();
    expect(await inUse()).toBe(0);
  });

  it('is turned away where nobody waits, or nobody is bound', async () => {
    const { turns } = fairTurns(1, 60_000, 0);
    const first = await turns.take(asking());
    expect(turns.takeAgain(asking())).toBeUndefined();
    first?.leave();
    const probe = { ...asking(), info: requestInfo('GET', '/livez', new URLSearchParams()) };
    expect(turns.takeAgain(probe)).toMatchObject({ isExempt: true });
  });
});

describe('bytes of bodies', () => {
  const bytes = (size: number, name = 'x') => JSON.stringify({ metadata: { name }, data: { text: 'x'.repeat(size) } });
  const send = (server: TestServer, size: number, user = 'jane') =>
    server.ask(`${PATH}?dryRun=All`, { method: 'POST', headers: { 'X-User': user }, body: bytes(size, 'y') });

  it('are bounded in all and for each user, while they are held', async () => {
    const server = await serve({ flow: { bodies: new SharedBound({ inAll: 5000, perUser: 3000 }) } });
    const writes = heldWrites();
    const held = server.ask(PATH, { method: 'POST', body: bytes(2000) });
    await expect.poll(() => writes.waiting.length).toBe(1);
    const refused = await send(server, 2000);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body.toString())).toMatchObject(REFUSAL);
    expect((await send(server, 2000, 'joe')).status, 'another user').toBe(201);
    expect((await send(server, 3500, 'root')).status, 'an administrator').toBe(201);
    const second = server.ask(PATH, { method: 'POST', headers: { 'X-User': 'joe' }, body: bytes(2500) });
    await expect.poll(() => writes.waiting.length).toBe(2);
    expect((await send(server, 400, 'joe')).status, 'in all').toBe(429);
    expect((await send(server, 2000, 'bob')).status, 'who holds none').toBe(201);
    expect(await sample('orch_limit_refusals_total{limit="body-bytes"}')).toBe(2);
    writes.letGo();
    expect([(await held).status, (await second).status]).toEqual([201, 409]);
    expect((await send(server, 2500)).status, 'given back').toBe(201);
  });
});

interface Opened {
  readonly answer: IncomingMessage;
  /** Everything that came. */
  text(): string;
}

/** Opens a watch, or is refused. */
async function watch(
  server: TestServer,
  user = 'jane',
  query = '',
  headers: Record<string, string> = {},
): Promise<Opened> {
  const path = `${PATH}?watch=1${query}`;
  const sent = request({ port: server.port, path, headers: { 'X-User': user, ...headers }, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  answer.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  answer.on('error', () => undefined);
  return { answer, text: () => text };
}

/** A server that hands its watches to another, which knows callers by what the first says of them. */
async function twoTiers(watches: { front?: OpenWatches; gateway?: OpenWatches }) {
  const believing: Authenticator = {
    authenticate: ({ socket, headers }) =>
      byHeader.authenticate({ socket, headers: { 'x-user': headers['x-remote-user'] } }),
  };
  const gateway = await serve({
    authenticator: believing,
    metrics: new Metrics(),
    ...(watches.gateway && { watches: watches.gateway }),
  });
  const proxy = new WatchProxy(
    [`http://127.0.0.1:${gateway.port}`],
    () => ({ servingCa: undefined, gatewayClient: undefined }),
    new HandedStreams(),
    undefined,
    (ctx) => refusalFrames(ctx, api.deps.representations),
  );
  return serve({ proxyWatch: (ctx) => proxy.hand(ctx), ...(watches.front && { watches: watches.front }) });
}

const TIERS = {
  'where it is served': (watches: OpenWatches) => serve({ watches }),
  'where it is handed on': (front: OpenWatches) => twoTiers({ front }),
  'behind where it is handed on': (gateway: OpenWatches) => twoTiers({ gateway }),
};

describe.each(Object.entries(TIERS))('a watch, %s,', (_where, open) => {
  it('counts in all and for its user', async () => {
    const watches = new OpenWatches({ inAll: 3, perUser: 2 });
    const server = await open(watches);
    const [first] = [await watch(server), await watch(server)];
    const refused = await watch(server);
    expect([refused.answer.statusCode, refused.answer.headers['retry-after']]).toEqual([429, '1']);
    await expect.poll(refused.text).toContain(REFUSAL.message);
    expect((await watch(server, 'joe')).answer.statusCode).toBe(200);
    expect((await watch(server, 'bob')).answer.statusCode, 'in all').toBe(429);
    expect((await watch(server, 'root')).answer.statusCode, 'an administrator').toBe(200);
    first?.answer.destroy();
    await expect.poll(() => watches.size).toBe(3);
    expect((await watch(server)).answer.statusCode, 'one has left, but an administrator came').toBe(429);
  });

  it('does not count when it was refused for something else', async () => {
    const watches = new OpenWatches({ inAll: 1, perUser: 0 });
    const server = await open(watches);
    for (let i = 0; i < 3; i++) {
      expect((await watch(server, 'jane', '&resourceVersion=x')).answer.statusCode).toBe(400);
    }
    expect((await watch(server)).answer.statusCode).toBe(200);
  });

  it.each(['application/json', namesOf('orch').protobufMediaType])(
    'in %s ends with an ERROR event when its rights are gone, and no other does',
    async (accept) => {
      const watches = new OpenWatches({ inAll: 0, perUser: 0 });
      const server = await open(watches);
      const headers = { Accept: accept };
      const [jane, joe] = [await watch(server, 'jane', '', headers), await watch(server, 'joe', '', headers)];
      const seen: unknown[] = [];
      const ended = once(jane.answer, 'end');
      const forbidden = new StatusError('Forbidden', 'no more');
      const count = await watches.judgeAgain(({ user, request: { verb, resource, namespace } }) => {
        seen.push([user.name, verb, resource, namespace]);
        return user.name === 'jane' ? forbidden : undefined;
      });
      await ended;
      expect([count, jane.answer.complete]).toEqual([1, true]);
      expect(jane.answer.headers['content-type']).toContain(accept);
      expect(jane.text()).toContain('ERROR');
      expect(jane.text()).toContain('no more');
      expect(seen).toEqual([
        ['jane', 'watch', 'configmaps', 'default'],
        ['joe', 'watch', 'configmaps', 'default'],
      ]);
      await api.create('configmaps', { metadata: { name: 'later' } });
      await expect.poll(joe.text).toContain('later');
      expect(jane.text()).not.toContain('later');
      await expect.poll(() => watches.size).toBe(1);
    },
  );

  it('that cannot be judged ends, and all others are judged', async () => {
    const watches = new OpenWatches({ inAll: 0, perUser: 0 });
    const server = await open(watches);
    const [jane, joe] = [await watch(server, 'jane'), await watch(server, 'joe')];
    const ended = Promise.all([once(jane.answer, 'end'), once(joe.answer, 'end')]);
    const count = await watches.judgeAgain(async ({ user }) => {
      if (user.name === 'jane') throw new Error('nobody answers');
      return new StatusError('Forbidden', 'no more');
    });
    await ended;
    expect(count).toBe(2);
    const last = ({ text }: Opened) => JSON.parse(text().trim().split('\n').at(-1) ?? '') as unknown;
    expect(last(jane)).toMatchObject({ type: 'ERROR', object: { code: 500 } });
    expect(last(joe)).toMatchObject({ type: 'ERROR', object: { code: 403 } });
  });

  it('that has not begun when its rights go ends as soon as it does', async () => {
    const watches = new OpenWatches({ inAll: 0, perUser: 0 });
    const server = await open(watches);
    const future = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=100';
    const opening = watch(server, 'jane', `&${future}`);
    await expect.poll(() => watches.size).toBe(1);
    await expect.poll(() => api.store.calls.lastVersion).toBeGreaterThan(0);
    await watches.judgeAgain(() => new StatusError('Forbidden', 'no more'));
    api.store.skip(200n);
    const { answer, text } = await opening;
    if (!answer.readableEnded) await once(answer, 'end');
    expect([answer.statusCode, answer.complete]).toEqual([200, true]);
    expect(JSON.parse(text().trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'ERROR', object: { code: 403 } });
  });
});

it('a watch whose rights go while it is found out whether it has them ends as soon as it begins', async () => {
  const watches = new OpenWatches({ inAll: 0, perUser: 0 });
  const asked: (() => void)[] = [];
  const authorizer: Authorizer = {
    async authorize() {
      await new Promise<void>((answer) => asked.push(answer));
      return { decision: 'allow', reason: '' };
    },
  };
  const server = await serve({ watches, authorizer });
  const opening = watch(server);
  await expect.poll(() => asked.length).toBe(1);
  expect(await watches.judgeAgain(async () => new StatusError('Forbidden', 'no more'))).toBe(0);
  asked[0]?.();
  const { answer, text } = await opening;
  if (!answer.readableEnded) await once(answer, 'end');
  expect(JSON.parse(text().trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'ERROR', object: { code: 403 } });
  await expect.poll(() => watches.size).toBe(0);
});

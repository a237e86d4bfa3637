import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AdmissionPlugin } from '@orch/admission';
import { authenticated } from '@orch/authentication';
import type { Controller } from '@orch/controllers';
import { Fairness } from '@orch/fairness';
import { Metrics, silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { ControllerClient, type ControllerSeats } from '@orch/writing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { controllerHost, type RunningControllers, runControllers } from './controllers.js';
import { MemoryStore } from './memory-store.js';
import { type TestApi, testApi } from './test-api.js';
import { listenerOf, openServer, type TestServer } from './test-server.js';

const KEYS = 10_000;
/** More than there are seats. */
const WORKERS = 200;
const SEATS = { mutating: 20, readOnly: 20 };
const JANE = { name: 'jane', groups: ['system:authenticated'], extra: {} };
const USER = authenticated(JANE, 'token');

/** Has each write take a turn of the event loop, as a database does. */
const waiting = {
  name: 'Waiting',
  handles: () => true,
  async validate() {
    await nextTurn();
  },
} as unknown as AdmissionPlugin;

let api: TestApi;
let metrics: Metrics;
let fairness: Fairness;
let server: TestServer;
let running: RunningControllers | undefined;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes', new MemoryStore(), {}, [waiting]);
  metrics = new Metrics();
  fairness = new Fairness({
    ...{ deps: api.deps, store: api.store, feed: api.feed, metrics, logger: silentLogger, decides: true },
    limits: { seats: SEATS, maxWaitMs: 60_000, sliceMs: 0 },
    features: { enabled: () => true },
  });
  await fairness.start();
  const flow = { turns: fairness.turns };
  server = await openServer(listenerOf(api, { authenticator: { authenticate: async () => USER }, flow }));
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await server.close();
  await fairness.stop();
  api.close();
});

/** Counts the seats that are held at a time. */
function counted(seats: ControllerSeats) {
  const held = { now: 0, most: 0 };
  const counting: ControllerSeats = {
    async take(user, request) {
      const leave = await seats.take(user, request);
      held.most = Math.max(held.most, ++held.now);
      return () => {
        held.now--;
        leave();
      };
    },
  };
  return { held, seats: counting };
}

const keys = Array.from({ length: KEYS }, (_, at) => `c${at}`);

it('a controller with ten thousand keys leaves users their seats', async () => {
  const { held, seats } = counted(fairness.seats);
  const client = new ControllerClient(controllerHost(api, { seats }), 'job-controller');
  const endpoint = api.endpoint('secrets');
  let done = 0;
  const controller: Controller = {
    name: 'jobs',
    sources: [{ subscribe: () => () => undefined, keys: () => keys }],
    workers: WORKERS,
    async reconcile(name) {
      await client.create(endpoint, { metadata: { namespace: 'default', name } });
      done++;
      return undefined;
    },
  };
  running = await runControllers({ controllers: [controller] });
  await expect.poll(() => done).toBeGreaterThan(0);
  // Keys that were reconciled while a user waited for one answer.
  const meanwhile: number[] = [];
  for (let at = 0; at < 20; at++) {
    const before = done;
    const body = JSON.stringify({ metadata: { name: `u${at}` } });
    const headers = { 'Content-Type': 'application/json' };
    const path = '/api/v1/namespaces/default/configmaps';
    expect((await server.ask(path, { method: 'POST', headers, body })).status).toBe(201);
    meanwhile.push(done - before);
  }

  expect(done).toBeLessThan(KEYS);
  expect(Math.max(...meanwhile)).toBeLessThan(KEYS / 10);
  await expect.poll(() => done, { timeout: 60_000 }).toBe(KEYS);
  const total = SEATS.mutating + SEATS.readOnly;
  expect([held.now, held.most > 0, held.most < total, total < WORKERS]).toEqual([0, true, true, true]);
  const { body: scraped } = await metrics.text();
  const label = '{priority_level="workload-high",flow_schema="kube-system-service-accounts"}';
  expect(scraped).toContain(`apiserver_flowcontrol_dispatched_requests_total${label} ${KEYS}`);
}, 120_000);

it('a controller is refused where no seat becomes free, and its key is tried again', async () => {
  const bounded = new Fairness({
    ...{
      deps: api.deps,
      store: api.store,
      feed: api.feed,
      metrics: new Metrics(),
      logger: silentLogger,
      decides: true,
    },
    limits: { seats: { mutating: 1, readOnly: 1 }, maxWaitMs: 60_000, sliceMs: 0 },
    features: { enabled: () => false },
  });
  const { seats } = bounded;
  const endpoint = api.endpoint('secrets');
  const request = { ...{ isResourceRequest: true, verb: 'create', group: '', version: 'v1' }, path: '' } as const;
  const leave = await seats.take(JANE, { ...request, resource: 'secrets', subresource: '', namespace: '', name: '' });
  const errors: unknown[] = [];
  const clock = new ManualClock();
  const client = new ControllerClient(controllerHost(api, { seats, clock }), 'job-controller');
  const controller: Controller = {
    name: 'jobs',
    sources: [{ subscribe: () => () => undefined, keys: () => ['a'] }],
    async reconcile(name) {
      await client.create(endpoint, { metadata: { namespace: 'default', name } });
      return undefined;
    },
  };
  const onError = (error: unknown) => void errors.push(error);
  running = await runControllers({ controllers: [controller] }, { onError, clock });
  const later = async <T>(value: () => T): Promise<T> => {
    await clock.advance(1_000);
    return value();
  };
  await expect.poll(() => later(() => errors[0])).toMatchObject({ code: 429 });
  leave();
  await expect.poll(() => later(() => api.stored('secrets', 'a'))).toBeDefined();
});

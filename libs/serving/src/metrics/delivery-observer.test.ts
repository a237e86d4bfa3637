import { type AnnouncedChange, inProcessBus } from '@orch/feed';
import { Metrics } from '@orch/runtime';
import type { Flush, FrameEncoder } from '@orch/watchcache';
import { beforeEach, expect, test } from 'vitest';
import { DeliveryObserver } from './delivery-observer.js';
import { watchedKinds } from './watched-kinds.js';

let metrics: Metrics;
let observer: DeliveryObserver;
beforeEach(() => {
  metrics = new Metrics();
  observer = new DeliveryObserver(metrics, undefined);
});

const sampleOf = async (sample: string) => {
  const line = (await metrics.text()).body.split('\n').find((text) => text.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length));
};
const change: AnnouncedChange = {
  type: 1,
  version: 2n,
  previous: 1n,
  op: 'create',
  namespace: '',
  name: 'a',
  uid: 'u',
  storedVersion: '',
  defaults: 0,
  body: Buffer.alloc(0),
  at: 0,
};
const ring = (what: string) => `orch_delivery_leg_seconds_${what}{leg="ring"}`;

test('a change of another process is timed by the clock of the database, and never as less than nothing', async () => {
  observer.arrived(1, { ...change, at: Date.now() + 60_000 });
  expect(await sampleOf(ring('sum'))).toBe(0);
  observer.arrived(1, { ...change, at: Date.now() - 2_000 });
  expect(await sampleOf(ring('sum'))).toBeCloseTo(2, 1);
});

test('a change of this process is timed by its own clock, whatever the database says', async () => {
  const bus = inProcessBus({ onTaken: (ms) => observer.taken(ms) });
  bus.subscribe(1, (changes) => {
    for (const announced of changes) observer.arrived(1, announced);
  });
  observer.publish(bus, [{ ...change, at: 5 }]);
  expect(await sampleOf(ring('count'))).toBe(1);
  expect(await sampleOf(ring('sum'))).toBeLessThan(1);
  expect(await sampleOf('orch_delivery_leg_seconds_count{leg="publish"}')).toBe(1);
});

test('what an audience gets is counted for each of its watchers, under the kind of its stream', async () => {
  const encoder = { key: 'k' } as FrameEncoder;
  watchedKinds.set(encoder, { group: 'apps', version: 'v1', kind: 'Deployment' });
  const flush: Flush = {
    encoder,
    events: 3,
    bytes: 6_000,
    watchers: 1_000,
    oldest: 10,
    began: 12,
    ended: 14,
    origins: [],
  };
  observer.flushed(flush);
  observer.caughtUp(encoder, 2, 200);
  observer.caughtUp(encoder, 0, 50);
  const labels = 'group="apps",version="v1",kind="Deployment"';
  expect(await sampleOf(`apiserver_watch_events_total{${labels}}`)).toBe(3_002);
  expect(await sampleOf(`apiserver_watch_events_sizes_sum{${labels}}`)).toBe(6_000_200);
  expect(await sampleOf(`apiserver_watch_events_sizes_bucket{${labels},le="1024"}`)).toBe(2);
  expect(await sampleOf('orch_delivery_leg_seconds_sum{leg="socket"}')).toBe(0.004);
  expect(await sampleOf('orch_delivery_flush_seconds_sum')).toBe(0.002);
});

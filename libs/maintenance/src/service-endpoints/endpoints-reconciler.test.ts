import { namesOf } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EndpointsReconciler } from './endpoints-reconciler.js';

let api: TestApi;
let alive: Set<string>;
let clock: ManualClock;
const failed: unknown[] = [];
beforeEach(async () => {
  api = await testApi();
  await api.create('namespaces', { metadata: { name: 'default' } }).catch(() => undefined);
  alive = new Set();
  clock = new ManualClock();
  failed.length = 0;
});
afterEach(() => {
  api.close();
  expect(failed).toEqual([]);
});

/** A server at an address. */
function reconciler(address: string, isTaken = () => false): EndpointsReconciler {
  return new EndpointsReconciler({
    names: namesOf('orch'),
    port: 6443,
    lease: {
      take: async () => !isTaken() && Boolean(alive.add(address)),
      giveBack: async () => void alive.delete(address),
    },
    alive: async () => [...alive],
    pipeline: api.deps.pipeline,
    remover: api.deps.remover,
    endpoints: api.endpoint('endpoints'),
    slices: api.endpoint('endpointslices'),
    onError: (error) => failed.push(error),
    clock,
  });
}

const NAME = namesOf('orch').apiServiceName;
const endpoints = () => api.stored('endpoints', NAME);
const slice = () => api.stored('endpointslices', NAME);
const addresses = () =>
  (slice()?.endpoints as { addresses: string[] }[] | undefined)?.flatMap((each) => each.addresses);

it('writes the address of a server as the release does', async () => {
  const one = reconciler('10.0.0.1');
  one.start();
  await expect.poll(slice).toBeDefined();
  expect(endpoints()).toMatchObject({
    metadata: { labels: { 'endpointslice.orch.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
  });
  expect(slice()).toMatchObject({
    metadata: { labels: { 'orch.io/service-name': NAME }, generation: 1 },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  await one.stop();
  expect(addresses(), 'the last address stays').toEqual(['10.0.0.1']);
});

it('soon has its address though the server that it succeeds was killed and holds it yet', async () => {
  let isTaken = true;
  const one = reconciler('10.0.0.1', () => isTaken);
  alive.add('10.0.0.1').add('10.0.0.2');
  one.start();
  await expect.poll(addresses).toEqual(['10.0.0.1', '10.0.0.2']);
  alive.delete('10.0.0.1');
  isTaken = false;
  await clock.advance(1_000);
  await expect.poll(() => alive.has('10.0.0.1')).toBe(true);
  await one.stop();
});

it('keeps the addresses of those that are alive, and writes nothing at rest', async () => {
  const [one, two] = [reconciler('10.0.0.2'), reconciler('10.0.0.1')];
  one.start();
  await expect.poll(addresses).toEqual(['10.0.0.2']);
  two.start();
  await expect.poll(addresses).toEqual(['10.0.0.1', '10.0.0.2']);
  const writes = api.store.writes.length;
  for (let round = 0; round < 5; round++) {
    await clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(api.store.writes.length).toBe(writes);
  await two.stop();
  expect(addresses()).toEqual(['10.0.0.2']);
  expect(endpoints()?.subsets).toMatchObject([{ addresses: [{ ip: '10.0.0.2' }] }]);
  alive.add('2001:db8::1');
  await clock.advance(10_000);
  await expect.poll(endpoints).toMatchObject({ subsets: [{ addresses: [{ ip: '10.0.0.2' }, { ip: '2001:db8::1' }] }] });
  expect(addresses(), 'a slice holds addresses of one kind').toEqual(['10.0.0.2']);
  await one.stop();
  expect(addresses(), 'of the other kind, once there is no other').toEqual(['2001:db8::1']);
});

import { Slices } from '@orch/runtime/work';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeCluster } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';
import type { Scheduler } from './scheduler.js';

let cluster: FakeCluster;
let scheduler: Scheduler;

/** Runs a scheduler over what has been put in. */
async function run(options: Parameters<typeof runScheduler>[1] = {}): Promise<void> {
  scheduler = runScheduler(cluster, options);
  await settled(scheduler);
}

afterEach(() => scheduler.stop());

/** A term that means pods of an application, and many others that mean none. */
const termsOf = (app: string) =>
  [app, ...Array.from({ length: 500 }, (_, at) => `none-${at}`)].map((each) => ({
    topologyKey: 'zone',
    labelSelector: { matchLabels: { app: each } },
  }));

describe('a pod with hundreds of terms', () => {
  it('is decided about in turns with other work', async () => {
    cluster = new FakeCluster();
    for (const zone of ['a', 'b', 'c', 'd']) cluster.node(zone, { labels: { zone } });
    cluster.pod('web', { labels: { app: 'web' }, spec: { nodeName: 'c' } });
    cluster.pod('db', { labels: { app: 'db' }, spec: { nodeName: 'd' } });
    const weighted = termsOf('web').map((podAffinityTerm) => ({ weight: 100, podAffinityTerm }));
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: weighted };
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: termsOf('db') };
    cluster.pod('p', { spec: { affinity: { podAffinity, podAntiAffinity } } });
    const between = vi.spyOn(Slices.prototype, 'between');
    await run();
    const steps = between.mock.calls.length;
    vi.restoreAllMocks();
    expect(cluster.placed.p).toBe('c');
    expect(steps).toBeGreaterThan(1_000);
  });

  it('is decided about by what is there each time', async () => {
    cluster = new FakeCluster();
    cluster.node('a', { labels: { zone: 'a' } });
    cluster.pod('web', { labels: { app: 'web' }, spec: { nodeName: 'a' } });
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: termsOf('web') };
    cluster.pod('p', { spec: { affinity: { podAntiAffinity } } });
    await run();
    expect(cluster.placed.p).toBeUndefined();
    cluster.remove('default/web');
    await cluster.clock.advance(1_000);
    await settled(scheduler);
    expect(cluster.placed.p).toBe('a');
  });
});

describe('a cluster of many pods', () => {
  it('is read in turns with other work, all of it before the first decision', async () => {
    cluster = new FakeCluster();
    cluster.node('full', { allocatable: { pods: '5000' } });
    // The other one would be preferred as long as it seems to have room.
    cluster.node('free', { spec: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } });
    cluster.pod('web');
    for (let at = 0; at < 5_000; at++) cluster.pod(`p${at}`, { spec: { nodeName: 'full' } });
    scheduler = runScheduler(cluster);
    const known = [scheduler.sizes.pods];
    while (scheduler.sizes.pods < 5_000) {
      await new Promise((resolve) => setImmediate(resolve));
      known.push(scheduler.sizes.pods);
    }
    expect(known.length).toBeGreaterThan(3);
    await settled(scheduler);
    expect(cluster.placed.web).toBe('free');
  });

  it('is forgotten where the scheduler ends before it has read it', async () => {
    cluster = new FakeCluster();
    cluster.node('n', { allocatable: { pods: '9999' } });
    for (let at = 0; at < 5_000; at++) cluster.pod(`p${at}`, { spec: { nodeName: 'n' } });
    scheduler = runScheduler(cluster);
    const known = scheduler.sizes.pods;
    await scheduler.stop();
    await settled(scheduler);
    expect([known < 5_000, scheduler.sizes.pods]).toEqual([true, known]);
  });
});

describe('a scheduler', () => {
  it('binds pods to nodes that have room, and tells so', async () => {
    cluster = new FakeCluster();
    cluster.node('small', { allocatable: { cpu: '1' } });
    cluster.node('large');
    cluster.pod('p', { requests: { cpu: '2' } });
    await run();
    expect(cluster.placed).toEqual({ p: 'large' });
    expect(cluster.events).toEqual([
      {
        pod: 'p',
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        note: 'Successfully assigned default/p to large',
      },
    ]);
  });

  it('tells why a pod cannot be scheduled, and schedules it once a node has come', async () => {
    cluster = new FakeCluster();
    cluster.node('a', { allocatable: { cpu: '1' } });
    cluster.node('b', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } });
    cluster.pod('p', { requests: { cpu: '2' } });
    await run();
    const message =
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {k: v}. preemption: ' +
      '0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '1 Preemption is not helpful for scheduling..';
    expect(cluster.message('default/p')).toBe(message);
    expect(cluster.events).toMatchObject([{ type: 'Warning', reason: 'FailedScheduling', note: message }]);
    expect(scheduler.pending).toMatchObject({ unschedulable: 1, active: 0 });
    cluster.node('c');
    await expect.poll(() => scheduler.pending).toMatchObject({ backoff: 1 });
    await cluster.clock.advance(1_000);
    await settled(scheduler);
    expect(cluster.placed).toEqual({ p: 'c' });
  });
});

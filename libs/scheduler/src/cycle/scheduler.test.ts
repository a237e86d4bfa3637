import { afterEach, describe, expect, it } from 'vitest';
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
    expect(scheduler.pending).toMatchObject({ backoff: 1 });
    await cluster.clock.advance(1_000);
    await settled(scheduler);
    expect(cluster.placed).toEqual({ p: 'c' });
  });
});

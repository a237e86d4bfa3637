import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';
import type { Scheduler } from './scheduler.js';

let scheduler: Scheduler;
let cluster: FakeCluster;
let errors: string[];

beforeEach(() => {
  cluster = new FakeCluster();
  errors = [];
});
afterEach(() => scheduler.stop());

async function run(): Promise<void> {
  scheduler = runScheduler(cluster, { onError: (error, pod) => errors.push(`${pod}: ${(error as Error).message}`) });
  await settled(scheduler);
}

/** Lets time pass until pods that have failed are tried again. */
async function later(ms: number): Promise<void> {
  await cluster.clock.advance(ms);
  await settled(scheduler);
}

/** Holds a write back until it is told what becomes of it. */
function held(verb: 'bind' | 'patch' | 'delete') {
  let end: (error?: Error) => void = () => undefined;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  cluster.onWrite = (wanted) => {
    if (wanted !== verb) return undefined;
    cluster.onWrite = () => undefined;
    begin();
    return new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve());
    });
  };
  return { begun, end: (error?: Error) => end(error) };
}

const BIG = { cpu: '3' };

describe('a binding that fails', () => {
  it('frees what the pod has held, tells so, and has the pod tried again', async () => {
    cluster.node('a');
    cluster.pod('p', { requests: BIG });
    const bind = held('bind');
    scheduler = runScheduler(cluster, { onError: (error) => errors.push((error as Error).message) });
    await bind.begun;
    cluster.pod('q', { requests: BIG });
    await expect.poll(() => cluster.message('default/q')).toContain('1 Insufficient cpu');
    expect(scheduler.sizes).toEqual({ nodes: 1, pods: 1, assumedPods: 1 });
    bind.end(new Error('refused'));
    await settled(scheduler);
    expect(errors).toEqual(['refused']);
    expect(scheduler.sizes).toEqual({ nodes: 1, pods: 0, assumedPods: 0 });
    const [condition] = cluster.informers.pods.get('default/p')?.status?.conditions ?? [];
    expect(condition).toMatchObject({
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulerError',
      message: 'refused',
    });
    expect(scheduler.pending).toEqual({ active: 0, backoff: 2, unschedulable: 0, gated: 0 });
    await later(1_000);
    expect(Object.keys(cluster.placed).length).toBe(1);
  });

  it('is none where the API shows the pod on its node before the answer', async () => {
    cluster.node('a');
    cluster.pod('p', { requests: BIG });
    const bind = held('bind');
    scheduler = runScheduler(cluster);
    await bind.begun;
    cluster.update('default/p', (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'a' } }));
    // It is applied at once only where the turn of the event loop has time left.
    await expect.poll(() => scheduler.sizes).toEqual({ nodes: 1, pods: 1, assumedPods: 0 });
    bind.end(new Error('timed out'));
    await settled(scheduler);
    expect(scheduler.sizes).toEqual({ nodes: 1, pods: 1, assumedPods: 0 });
    expect(cluster.message('default/p')).toBeUndefined();
    expect(scheduler.pending).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0 });
  });

  it('has the pod tried again as it is then', async () => {
    cluster.node('a', { labels: { disk: 'hdd' } });
    cluster.node('b', { labels: { disk: 'ssd' } });
    cluster.pod('p', { spec: { nodeSelector: { disk: 'hdd' } } });
    const bind = held('bind');
    scheduler = runScheduler(cluster);
    await bind.begun;
    cluster.update('default/p', (pod) => ({ ...pod, spec: { ...pod.spec, nodeSelector: { disk: 'ssd' } } }));
    bind.end(new Error('refused'));
    await settled(scheduler);
    await later(1_000);
    expect(cluster.placed).toEqual({ p: 'b' });
  });

  it.each<[string, () => void]>([
    ['deleted', () => cluster.remove('default/p')],
    [
      'on its way out',
      () =>
        cluster.update('default/p', (pod) => ({
          ...pod,
          metadata: { ...pod.metadata, deletionTimestamp: '2023-04-11T00:00:00Z' },
        })),
    ],
    ['terminal', () => cluster.update('default/p', (pod) => ({ ...pod, status: { phase: 'Failed' } }))],
    [
      'bound by another',
      () => cluster.update('default/p', (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'b' } })),
    ],
  ])('is the end of it where the pod is %s meanwhile', async (_what, change) => {
    cluster.node('a');
    cluster.node('b', { allocatable: { pods: '0' } });
    cluster.pod('p', { requests: BIG });
    const bind = held('bind');
    scheduler = runScheduler(cluster);
    await bind.begun;
    change();
    bind.end(new Error('refused'));
    await settled(scheduler);
    await later(60_000);
    expect(scheduler.pending).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0 });
    expect(scheduler.sizes.assumedPods).toBe(0);
    expect(cluster.events).toEqual([]);
    expect(cluster.placed.p).not.toBe('a');
  });

  it('does not meet a pod that was made again under the same name', async () => {
    cluster.node('a');
    cluster.pod('p', { requests: BIG });
    const bind = held('bind');
    scheduler = runScheduler(cluster);
    await bind.begun;
    cluster.pod('p', { requests: { cpu: '1' } });
    bind.end();
    await settled(scheduler);
    expect(cluster.placed).toEqual({ p: 'a' });
    expect(cluster.events.map(({ reason }) => reason)).toEqual(['Scheduled']);
    expect(scheduler.sizes).toEqual({ nodes: 1, pods: 1, assumedPods: 0 });
  });

  it('is no failure of the pod where the scheduler ends', async () => {
    cluster.node('a');
    cluster.pod('p');
    const bind = held('bind');
    scheduler = runScheduler(cluster);
    await bind.begun;
    const stopped = scheduler.stop();
    bind.end(new Error('closed'));
    await stopped;
    expect(cluster.message('default/p')).toBeUndefined();
    expect(cluster.events).toEqual([]);
  });
});

describe('a scheduler that has ended', () => {
  it('leaves no timer, also where a pod is written about meanwhile', async () => {
    cluster.node('a');
    cluster.pod('p', { requests: { cpu: '5' } });
    const patch = held('patch');
    scheduler = runScheduler(cluster);
    await patch.begun;
    const stopped = scheduler.stop();
    patch.end();
    await stopped;
    expect([scheduler.pending.unschedulable, cluster.clock.pending]).toEqual([1, 0]);
  });
});

describe('pods that are not to be scheduled', () => {
  it('are those of other schedulers, placed, terminal, gated, or on their way out', async () => {
    cluster.node('a');
    cluster.pod('other', { spec: { schedulerName: 'mine' } });
    cluster.pod('done', { status: { phase: 'Succeeded' } });
    cluster.pod('gated', { spec: { schedulingGates: [{ name: 'x' }] } });
    cluster.pod('placed', { spec: { nodeName: 'a', schedulerName: 'mine' } });
    cluster.pod('ended', { requests: BIG, spec: { nodeName: 'a' }, status: { phase: 'Failed' } });
    await run();
    expect(cluster.placed).toEqual({ placed: 'a', ended: 'a' });
    expect(scheduler.sizes.pods).toBe(1);
    expect(scheduler.pending).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 });
    cluster.update('default/gated', (pod) => ({ ...pod, spec: { ...pod.spec, schedulingGates: [] } }));
    await settled(scheduler);
    expect(cluster.placed.gated).toBe('a');
  });
});

describe('pods that cannot be scheduled', () => {
  it('get no second condition for the same message, and one for another', async () => {
    const patched: string[] = [];
    cluster.onWrite = (verb, key) => void (verb === 'patch' && patched.push(key));
    cluster.node('a', { allocatable: { cpu: '1' } });
    cluster.pod('p', { requests: BIG });
    await run();
    cluster.node('b', { allocatable: { cpu: '2900m' }, labels: { x: '1' } });
    await later(400_000);
    expect(patched.length).toBe(2);
    expect(cluster.message('default/p')).toContain('0/2 nodes');
    await later(400_000);
    expect(patched.length).toBe(2);
    expect(cluster.events.length).toBeGreaterThan(2);
  });

  it('wait where there are no nodes, for the first one', async () => {
    cluster.pod('p');
    await run();
    expect(cluster.message('default/p')).toBe('no nodes available to schedule pods');
    cluster.node('a');
    await later(1_000);
    expect(cluster.placed).toEqual({ p: 'a' });
  });

  it('for an affinity that cannot be parsed do not keep others from being scheduled', async () => {
    const labelSelector = { matchExpressions: [{ key: 'k', operator: 'Nonsense' as 'In' }] };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 't', labelSelector }] };
    cluster.node('a');
    cluster.pod('bad', { spec: { affinity: { podAffinity: required }, preemptionPolicy: 'Never' } });
    cluster.pod('good');
    await run();
    expect(cluster.placed).toEqual({ good: 'a' });
    expect(cluster.message('default/bad')).toMatch(
      /^0\/1 nodes are available: parsing pod: .*Nonsense.*\. preemption: not eligible due to preemptionPolicy=Never\.\.$/,
    );
    expect(scheduler.pending.unschedulable).toBe(1);
  });

  it('for a constraint that cannot be parsed are told so, and tried again', async () => {
    const labelSelector = { matchExpressions: [{ key: 'k', operator: 'Nonsense' as 'In' }] };
    const constraint = { topologyKey: 't', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector };
    cluster.node('a');
    cluster.pod('bad', { spec: { topologySpreadConstraints: [constraint] } });
    cluster.pod('good');
    await run();
    expect(cluster.placed).toEqual({ good: 'a' });
    expect(errors[0]).toContain('Nonsense');
    expect(scheduler.pending.backoff).toBe(1);
  });

  it('for a node that is cordoned are, once it is not', async () => {
    cluster.node('a', { spec: { unschedulable: true } });
    cluster.pod('p');
    await run();
    expect(cluster.message('default/p')).toContain('1 node(s) were unschedulable');
    cluster.node('a');
    await later(1_000);
    expect(cluster.placed).toEqual({ p: 'a' });
  });
});

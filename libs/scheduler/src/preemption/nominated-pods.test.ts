import type { PodSpec } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scheduler } from '../cycle/scheduler.js';
import { FakeCluster, type PodSettings } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';

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

async function later(ms: number): Promise<void> {
  await cluster.clock.advance(ms);
  await settled(scheduler);
}

interface Placed extends PodSettings {
  readonly cpu?: string;
  /** Minutes after the start of all. */
  readonly began?: number;
}

/** A pod on a node. */
function placed(
  name: string,
  node: string,
  priority: number,
  { cpu = '2', began = 0, ...settings }: Placed = {},
): void {
  const startTime = `2023-04-11T00:${String(began).padStart(2, '0')}:00Z`;
  cluster.pod(name, {
    requests: { cpu },
    labels: { app: name },
    ...settings,
    spec: { nodeName: node, priority, ...settings.spec },
    status: { startTime, ...settings.status },
  });
}

const preemptor = (priority = 10, cpu = '4', spec: PodSpec = {}) =>
  cluster.pod('high', { requests: { cpu }, spec: { priority, ...spec } });

const nominated = (name = 'high') => cluster.informers.pods.get(`default/${name}`)?.status?.nominatedNodeName;
const terminating = (): readonly string[] =>
  [...cluster.informers.pods.list()]
    .flatMap(({ metadata }) => (metadata?.deletionTimestamp ? [metadata.name ?? ''] : []))
    .sort();

describe('pods that are nominated', () => {
  it('keep their room from those of lower or equal priority that are not, and not from more important ones', async () => {
    cluster.node('a');
    placed('low', 'a', 1, { cpu: '4' });
    preemptor();
    await run();
    expect(nominated()).toBe('a');
    cluster.remove('default/low');
    cluster.pod('equal', { requests: { cpu: '1' }, spec: { priority: 10 } });
    await settled(scheduler);
    expect(cluster.placed.equal).toBeUndefined();
    cluster.pod('higher', { requests: { cpu: '4' }, spec: { priority: 11 } });
    await settled(scheduler);
    expect(cluster.placed.higher).toBe('a');
  });

  it('lose the node to a more important one that preempts there', async () => {
    cluster.node('a');
    placed('low', 'a', 1, { cpu: '4' });
    preemptor(10);
    await run();
    cluster.pod('higher', { requests: { cpu: '4' }, spec: { priority: 20 } });
    await settled(scheduler);
    expect([nominated('higher'), nominated('high')]).toEqual(['a', undefined]);
    cluster.remove('default/low');
    await later(1_000);
    await later(2_000);
    expect(cluster.placed).toEqual({ higher: 'a' });
  });

  it('by the API count from the start', async () => {
    cluster.node('a');
    cluster.pod('high', {
      requests: { cpu: '4' },
      spec: { priority: 10, schedulerName: 'default-scheduler', schedulingGates: [{ name: 'g' }] },
      status: { nominatedNodeName: 'a' },
    });
    cluster.pod('p', { requests: { cpu: '1' } });
    await run();
    expect(cluster.placed).toEqual({});
    cluster.remove('default/high');
    await later(400_000);
    expect(cluster.placed).toEqual({ p: 'a' });
  });

  it('are not what others can rely on: they may go elsewhere', async () => {
    cluster.node('a');
    const gated = { priority: 10, schedulingGates: [{ name: 'g' }] };
    cluster.pod('high', { labels: { app: 'web' }, spec: gated, status: { nominatedNodeName: 'a' } });
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    cluster.pod('p', { spec: { affinity } });
    await run();
    expect(cluster.message('default/p')).toContain("1 node(s) didn't match pod affinity rules");
    cluster.pod('there', { labels: { app: 'web' }, spec: { nodeName: 'a' } });
    await later(1_000);
    expect(cluster.placed.p).toBe('a');
  });

  it('try their node first', async () => {
    cluster.node('a');
    cluster.node('b');
    placed('other', 'b', 1, { cpu: '3' });
    cluster.pod('p', { requests: { cpu: '1' }, status: { nominatedNodeName: 'b' } });
    await run();
    expect(cluster.placed.p).toBe('b');
  });
});

describe('a deletion that fails', () => {
  it('is told, leaves no nomination, and has the pod tried again', async () => {
    cluster.node('a');
    placed('low', 'a', 1);
    preemptor();
    cluster.onWrite = (verb) => {
      if (verb !== 'delete') return;
      cluster.onWrite = () => undefined;
      throw new Error('refused');
    };
    await run();
    expect(errors).toEqual(['default/high: refused']);
    expect(nominated()).toBeUndefined();
    expect(cluster.message('default/high')).toBe('0/1 nodes are available: 1 Insufficient cpu. preemption: refused.');
    expect(scheduler.pending.backoff).toBe(1);
    cluster.pod('small', { requests: { cpu: '1' }, spec: { priority: 1 } });
    await settled(scheduler);
    expect(cluster.placed.small).toBe('a');
    await later(1_000);
    expect(terminating()).toEqual(['low', 'small']);
  });

  it('keeps no room for a pod that is gone meanwhile', async () => {
    for (const name of ['a', 'b']) cluster.node(name);
    placed('equal', 'a', 10, { cpu: '4' });
    placed('low', 'b', 1, { cpu: '4' });
    cluster.pod('high', { requests: { cpu: '4' }, spec: { priority: 10 }, status: { nominatedNodeName: 'a' } });
    cluster.onWrite = (verb) => {
      if (verb !== 'delete') return;
      cluster.onWrite = () => undefined;
      cluster.remove('default/high');
      throw new Error('refused');
    };
    await run();
    expect(errors).toEqual(['default/high: refused']);
    cluster.remove('default/equal');
    cluster.pod('small', { requests: { cpu: '1' }, spec: { priority: 1 } });
    await settled(scheduler);
    expect(cluster.placed.small).toBe('a');
  });
});

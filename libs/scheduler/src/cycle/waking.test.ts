import type { PodSpec } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeCluster } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';
import type { Scheduler } from './scheduler.js';

let scheduler: Scheduler;
let cluster: FakeCluster;

beforeEach(() => {
  cluster = new FakeCluster();
});
afterEach(() => scheduler.stop());

const term = (app: string, topologyKey = 'zone') => ({ topologyKey, labelSelector: { matchLabels: { app } } });
const away = (app: string): PodSpec => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});
const near = (app: string): PodSpec => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});
const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }];
const zone = (of: string) => ({ labels: { zone: of } });
const placed = (name: string, nodeName: string, spec: PodSpec = {}, cpu = '1') =>
  cluster.pod(name, { labels: { app: name }, requests: { cpu }, spec: { ...spec, nodeName } });
const relabel = (key: string, app: string) =>
  cluster.update(key, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app } } }));

const CASES: readonly [string, () => void, readonly (() => void)[]][] = [
  [
    'a node that came with a taint loses it',
    () => {
      cluster.node('a', zone('x'));
      placed('web', 'a');
      cluster.pod('p', { spec: away('web') });
    },
    [() => cluster.node('b', { ...zone('y'), spec: { taints } }), () => cluster.node('b', zone('y'))],
  ],
  [
    'a node that came full gets room',
    () => {
      cluster.node('a', zone('x'));
      placed('web', 'a');
      placed('big', 'b', {}, '4');
      cluster.pod('p', { requests: { cpu: '1' }, spec: away('web') });
    },
    [() => cluster.node('b', zone('y')), () => cluster.remove('default/big')],
  ],
  [
    'another node leaves the place of one that is free',
    () => {
      cluster.node('a', { ...zone('x'), spec: { taints } });
      cluster.node('b', zone('x'));
      placed('web', 'a');
      cluster.pod('p', { spec: away('web') });
    },
    [() => cluster.node('a', { ...zone('y'), spec: { taints } })],
  ],
  [
    'a node with pods that it wants to be near to comes back',
    () => {
      cluster.node('b', zone('x'));
      placed('web', 'a');
      cluster.pod('p', { spec: near('web') });
    },
    [() => cluster.node('a', { ...zone('x'), spec: { taints } })],
  ],
  [
    'a pod that it must keep away from gets other labels',
    () => {
      cluster.node('a', zone('x'));
      placed('web', 'a');
      cluster.pod('p', { spec: away('web') });
    },
    [() => relabel('default/web', 'db')],
  ],
  [
    'a more important pod gives up the node that it was nominated for',
    () => {
      cluster.node('a');
      const spec = { priority: 10, schedulingGates: [{ name: 'g' }] };
      cluster.pod('high', { requests: { cpu: '4' }, spec, status: { nominatedNodeName: 'a' } });
      cluster.pod('p', { requests: { cpu: '1' } });
    },
    [() => cluster.remove('default/high')],
  ],
  [
    'a pod has come to where spread has too few',
    () => {
      cluster.node('a', zone('x'));
      cluster.node('b', { ...zone('y'), spec: { taints } });
      const constraint = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' as const };
      const topologySpreadConstraints = [{ ...constraint, labelSelector: { matchLabels: { app: 'p' } } }];
      cluster.pod('q', { labels: { app: 'p' }, spec: { nodeName: 'a' } });
      cluster.pod('p', { labels: { app: 'p' }, spec: { topologySpreadConstraints } });
    },
    [() => cluster.pod('r', { labels: { app: 'p' }, spec: { nodeName: 'b' } })],
  ],
];

it.each(CASES)(
  'a pod that waits is scheduled, long before it would be without any change: %s',
  async (_what, make, changes) => {
    make();
    scheduler = runScheduler(cluster);
    await settled(scheduler);
    for (const change of changes) {
      expect(cluster.placed.p).toBeUndefined();
      change();
      await settled(scheduler);
      await cluster.clock.advance(20_000);
      await settled(scheduler);
    }
    expect(cluster.placed.p).toBeDefined();
  },
);

it('where it was assumed elsewhere than the API shows it, a pod leaves room', async () => {
  cluster.node('a');
  cluster.pod('p', { requests: { cpu: '3' } });
  let end = (): void => undefined;
  const begun = new Promise<void>((begin) => {
    cluster.onWrite = (verb) => {
      if (verb !== 'bind') return undefined;
      cluster.onWrite = () => undefined;
      begin();
      return new Promise((resolve) => {
        end = resolve;
      });
    };
  });
  scheduler = runScheduler(cluster);
  await begun;
  cluster.pod('q', { requests: { cpu: '3' } });
  await expect.poll(() => cluster.message('default/q')).toBeDefined();
  cluster.update('default/p', (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'gone' } }));
  end();
  await cluster.clock.advance(20_000);
  await settled(scheduler);
  expect(cluster.placed).toEqual({ p: 'gone', q: 'a' });
});

it.each(['default-scheduler', 'another'])(
  'a pod that is on no node any more, as a backup was restored, leaves room and is scheduled again: %s',
  async (schedulerName) => {
    cluster.node('a');
    cluster.pod('p', { requests: { cpu: '3' }, spec: { schedulerName, nodeName: 'a' } });
    cluster.pod('q', { requests: { cpu: '3' } });
    scheduler = runScheduler(cluster);
    await settled(scheduler);
    expect(cluster.placed).toEqual({ p: 'a' });
    cluster.update('default/p', (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: '', priority: 1 } }));
    await settled(scheduler);
    await cluster.clock.advance(1_000);
    await settled(scheduler);
    expect(cluster.placed).toEqual(schedulerName === 'another' ? { q: 'a' } : { p: 'a' });
    expect(scheduler.sizes.pods).toBe(1);
  },
);

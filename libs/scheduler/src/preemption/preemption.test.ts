import type { PodSpec } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scheduler } from '../cycle/scheduler.js';
import { FakeCluster, type PodSettings } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';

let scheduler: Scheduler;
let cluster: FakeCluster;
let errors: string[];
let writes: string[];

beforeEach(() => {
  cluster = new FakeCluster();
  errors = [];
  writes = [];
  cluster.onWrite = (verb, key) => void writes.push(`${verb} ${key.replace('default/', '')}`);
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

function budget(
  name: string,
  app: string,
  disruptionsAllowed: number,
  disruptedPods: Record<string, string> = {},
): void {
  const spec = { selector: { matchLabels: { app } } };
  cluster.informers.podDisruptionBudgets.put(`default/${name}`, {
    metadata: { name, namespace: 'default' },
    spec,
    status: { disruptionsAllowed, disruptedPods },
  } as object);
}

describe('pods of lower priority', () => {
  it('are told so and deleted, before the other gets the node by name, and leave it', async () => {
    cluster.node('a');
    placed('low', 'a', 1);
    preemptor();
    await run();
    expect(writes).toEqual(['patch low', 'delete low', 'patch high']);
    expect(cluster.informers.pods.get('default/low')?.status?.conditions).toMatchObject([
      {
        ...{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      },
    ]);
    expect(nominated()).toBe('a');
    expect(cluster.placed.high).toBeUndefined();
    expect(cluster.message('default/high')).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    expect(cluster.events).toMatchObject([
      { pod: 'low', type: 'Normal', reason: 'Preempted', action: 'Preempting', note: 'Preempted by a pod on node a' },
      { pod: 'high', type: 'Warning', reason: 'FailedScheduling' },
    ]);
    cluster.remove('default/low');
    await later(1_000);
    expect(cluster.placed).toEqual({ high: 'a' });
  });

  it('are not deleted again while one of them is on its way out', async () => {
    cluster.node('a');
    placed('low', 'a', 1);
    placed('other', 'a', 1);
    preemptor(10, '2');
    await run();
    expect(terminating().length).toBe(1);
    cluster.node('b', { allocatable: { cpu: '1' } });
    await later(400_000);
    expect(terminating().length).toBe(1);
    expect(nominated()).toBe('a');
    expect(cluster.message('default/high')).toContain(
      'preemption: not eligible due to a terminating pod on the nominated node.',
    );
  });

  it.each<[string, () => void, string]>([
    ['of the same priority', () => placed('low', 'a', 10), '1 No preemption victims found for incoming pod'],
    ['where the policy forbids it', () => placed('low', 'a', 1), 'not eligible due to preemptionPolicy=Never.'],
    ['on a node that is refused for good', () => undefined, '1 Preemption is not helpful for scheduling'],
    ['that are not enough', () => placed('low', 'a', 1, { cpu: '1' }), '1 Insufficient cpu'],
  ])('stay: %s', async (what, make, reason) => {
    cluster.node('a', what.includes('for good') ? { spec: { unschedulable: true } } : {});
    make();
    if (what.includes('enough')) placed('equal', 'a', 10, { cpu: '3' });
    preemptor(10, '4', what.includes('policy') ? { preemptionPolicy: 'Never' } : {});
    await run();
    expect(terminating()).toEqual([]);
    expect(nominated()).toBeUndefined();
    expect(cluster.message('default/high')).toContain(
      `preemption: ${reason.startsWith('not') ? '' : '0/1 nodes are available: '}${reason}`,
    );
  });

  it('stay where the pod itself can be on no node, also if it may preempt none', async () => {
    cluster.node('a');
    placed('low', 'a', 1);
    const fields = (values: string[]) => ({ key: 'metadata.name', operator: 'In' as const, values });
    const nodeSelectorTerms = [{ matchFields: [fields(['a']), fields(['b'])] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    preemptor(10, '4', { affinity });
    cluster.pod('polite', { spec: { affinity, priority: 10, preemptionPolicy: 'Never' } });
    await run();
    const conflict = '0/1 nodes are available: pod affinity terms conflict.';
    expect(cluster.message('default/high')).toBe(
      `${conflict} preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling..`,
    );
    expect(cluster.message('default/polite')).toBe(
      `${conflict} preemption: not eligible due to preemptionPolicy=Never..`,
    );
    expect(terminating()).toEqual([]);
  });
});

describe('victims on a node', () => {
  it.each<[string, string, () => void, readonly string[]]>([
    [
      'the least important that are enough',
      '2',
      () => [3, 1, 2].forEach((priority) => void placed(`p${priority}`, 'a', priority, { cpu: '1' })),
      ['p1'],
    ],
    [
      'those that began last, of one priority',
      '2',
      () => [3, 1, 2].forEach((began) => void placed(`p${began}`, 'a', 1, { cpu: '1', began })),
      ['p3'],
    ],
    [
      'none of a budget while others do',
      '2',
      () => {
        budget('b', 'p1', 0);
        [1, 2, 3].forEach((priority) => void placed(`p${priority}`, 'a', priority, { cpu: '1' }));
      },
      ['p2'],
    ],
    [
      'one that its budget knows as disrupted like any other',
      '2',
      () => {
        budget('b', 'p1', 0, { p1: '2023-04-11T00:00:00Z' });
        [1, 2, 3].forEach((priority) => void placed(`p${priority}`, 'a', priority, { cpu: '1' }));
      },
      ['p1'],
    ],
    [
      'none of a budget, whatever it is called',
      '2',
      () => {
        budget('b', 'constructor', 0, { p2: '2023-04-11T00:00:00Z' });
        for (const [name, priority] of Object.entries({ constructor: 1, p2: 2, p3: 3 }))
          placed(name, 'a', priority, { cpu: '1' });
      },
      ['p2'],
    ],
  ])('are %s', async (_what, cpu, make, victims) => {
    cluster.node('a');
    make();
    preemptor(10, cpu);
    await run();
    expect(terminating()).toEqual(victims);
  });
});

describe('of several nodes', () => {
  const onNodes = (...each: (() => void)[]) => {
    for (const [at, make] of each.entries()) {
      cluster.node(`n${at}`);
      make();
    }
  };

  it.each<[string, () => void, string]>([
    [
      'the one with the fewest violations of budgets',
      () => {
        budget('b', 'x', 0);
        onNodes(
          () => placed('x', 'n0', 1, { cpu: '4' }),
          () => placed('y', 'n1', 9, { cpu: '4' }),
        );
      },
      'n1',
    ],
    [
      'the lowest highest priority',
      () =>
        onNodes(
          () => placed('x', 'n0', 5, { cpu: '4' }),
          () => placed('y', 'n1', 4, { cpu: '4' }),
        ),
      'n1',
    ],
    [
      'the smallest sum of priorities',
      () =>
        onNodes(
          () => ['x', 'y'].forEach((name) => void placed(name, 'n0', 5)),
          () => [5, 3].forEach((priority) => void placed(`p${priority}`, 'n1', priority)),
        ),
      'n1',
    ],
    [
      'the fewest victims, also of negative priority',
      () =>
        onNodes(
          () => ['x', 'y'].forEach((name) => void placed(name, 'n0', -5)),
          () => placed('z', 'n1', -5, { cpu: '4' }),
        ),
      'n1',
    ],
    [
      'the latest start of the most important victims',
      () =>
        onNodes(
          () => placed('x', 'n0', 5, { cpu: '4', began: 3 }),
          () => placed('y', 'n1', 5, { cpu: '4', began: 7 }),
        ),
      'n1',
    ],
  ])('is chosen: %s', async (_what, make, node) => {
    make();
    preemptor();
    await run();
    expect(nominated()).toBe(node);
  });
});

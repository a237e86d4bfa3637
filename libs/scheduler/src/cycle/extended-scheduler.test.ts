import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ExtenderConfiguration } from '../configuration/configuration.js';
import { Extenders } from '../extenders/extenders.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { runScheduler, settled } from '../testing/run-scheduler.js';
import type { Scheduler } from './scheduler.js';

const EXTENDER: ExtenderConfiguration = {
  ...{ urlPrefix: 'http://e', filterVerb: '', preemptVerb: '', prioritizeVerb: '', bindVerb: '', weight: 1 },
  ...{ enableHTTPS: false, tlsConfig: undefined, timeoutMs: 5_000, nodeCacheCapable: true, managedResources: [] },
  ignorable: false,
};

let cluster: FakeCluster;
let scheduler: Scheduler;
let bodies: Record<string, unknown>[];
/** Called while an extender is asked. */
let onCall: () => void;

/** Runs a scheduler with an extender that answers so. */
async function run(configuration: Partial<ExtenderConfiguration>, answer: unknown): Promise<void> {
  const extenders = new Extenders({
    configurations: [{ ...EXTENDER, ...configuration }],
    callOf: () => ({
      async post(_url, body) {
        bodies.push(body as Record<string, unknown>);
        onCall();
        return { status: 200, body: answer };
      },
    }),
    onError: () => undefined,
  });
  scheduler = runScheduler(cluster, { extenders });
  await settled(scheduler);
}

beforeEach(() => {
  [bodies, onCall] = [[], () => undefined];
  cluster = new FakeCluster();
  for (const name of ['a', 'b', 'c']) cluster.node(name);
});
afterEach(() => scheduler.stop());

it('nodes that an extender rejects are not chosen', async () => {
  cluster.pod('p');
  await run({ filterVerb: 'f' }, { NodeNames: ['b'] });
  expect(cluster.placed).toEqual({ p: 'b' });
});

it('what changes while an extender is asked counts for the next decision', async () => {
  cluster.pod('p');
  const known: number[] = [];
  onCall = () => {
    cluster.informers.nodes.remove('a');
    known.push(scheduler.sizes.nodes);
  };
  await run({ filterVerb: 'f' }, { NodeNames: ['b'] });
  expect([...known, scheduler.sizes.nodes, cluster.placed]).toEqual([3, 2, { p: 'b' }]);
});

it('the reasons of an extender are those of the pod', async () => {
  cluster.pod('p');
  await run(
    { filterVerb: 'f' },
    { NodeNames: [], FailedAndUnresolvableNodes: { a: 'too old', b: 'too old', c: 'on leave' } },
  );
  expect(cluster.message('default/p')).toContain('0/3 nodes are available: 1 on leave, 2 too old.');
});

it('the scores of an extender count', async () => {
  cluster.pod('p');
  await run({ prioritizeVerb: 'p', weight: 100 }, [{ Host: 'c', Score: 10 }]);
  expect(cluster.placed).toEqual({ p: 'c' });
});

it('an extender may bind the pod', async () => {
  cluster.onWrite = (verb) => {
    if (verb === 'bind') throw new Error('not by the scheduler');
  };
  cluster.pod('p');
  await run({ bindVerb: 'b' }, {});
  expect(bodies).toMatchObject([{ PodName: 'p', PodNamespace: 'default' }]);
  expect(cluster.events.map(({ reason }) => reason)).toEqual(['Scheduled']);
});

it('an extender may refuse that pods are evicted', async () => {
  for (const node of ['a', 'b', 'c']) cluster.pod(`on-${node}`, { requests: { cpu: '4' }, spec: { nodeName: node } });
  cluster.pod('p', { requests: { cpu: '4' }, spec: { priority: 10 } });
  await run({ preemptVerb: 'e' }, { NodeNameToMetaVictims: {} });
  expect(bodies).toMatchObject([{ NodeNameToMetaVictims: { a: { Pods: [{}] } } }]);
  expect(cluster.message('default/p')).toContain('preemption: no candidate node for preemption');
});

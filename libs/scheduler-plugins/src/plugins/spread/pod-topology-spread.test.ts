import { ClusterState, explain, FakeCluster, type PodSettings, profilesOf } from '@orch/scheduler/testing';
import type { TopologySpreadConstraint } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it, vi } from 'vitest';

const SKEWED = "node(s) didn't match pod topology spread constraints";
const NO_LABEL = `${SKEWED} (missing required label)`;
const ZONE = 'topology.kubernetes.io/zone';

let cluster: FakeCluster;

beforeEach(() => {
  cluster = new FakeCluster();
});

/** Adds nodes in zones, with this many pods of the application on each. */
function nodes(of: Readonly<Record<string, readonly [zone: string | undefined, pods: number]>>): void {
  for (const [name, [zone, pods]] of Object.entries(of)) {
    cluster.node(name, { labels: { ...(zone && { [ZONE]: zone }) } });
    for (let at = 0; at < pods; at++) placed(`${name}-${at}`, name);
  }
}

const placed = (name: string, nodeName: string, settings: PodSettings = {}) =>
  cluster.pod(name, { labels: { app: 'web' }, ...settings, spec: { ...settings.spec, nodeName } });

const hard = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  ...{ topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
});

async function judged(settings: PodSettings, args?: object) {
  const [profile] = profilesOf(args ? { pluginConfig: [{ name: 'PodTopologySpread', args }] } : {}, cluster);
  const pod = cluster.pod('new', { labels: { app: 'web' }, ...settings });
  cluster.remove('default/new');
  if (!profile) throw new Error('there is no profile');
  const { reasons = {}, scores } = await explain(cluster, pod, profile);
  return { reasons, scores: scores.PodTopologySpread };
}

const by = (...topologySpreadConstraints: TopologySpreadConstraint[]) => ({ spec: { topologySpreadConstraints } });

describe('constraints that must hold', () => {
  it('keep the pod from places with too many, and from nodes without the label', async () => {
    nodes({ a1: ['a', 1], a2: ['a', 1], b1: ['b', 1], x1: [undefined, 0] });
    const { reasons } = await judged(by(hard()));
    expect(reasons).toEqual({ a1: SKEWED, a2: SKEWED, b1: '', x1: NO_LABEL });
    expect((await judged(by(hard({ maxSkew: 2 })))).reasons.a1).toBe('');
  });

  it('are about labels of nodes alone, whatever they are called', async () => {
    nodes({ a1: ['a', 0] });
    const keys = ['constructor', 'toString', '__proto__'];
    for (const topologyKey of keys) expect((await judged(by(hard({ topologyKey })))).reasons.a1).toBe(NO_LABEL);
    expect((await judged(by(hard({ matchLabelKeys: keys })))).reasons.a1).toBe('');
  });

  it.each(['DoNotSchedule', 'ScheduleAnyway'] as const)(
    'cost as much as they are where there are thousands, as far as nodes have the labels: %s',
    async (whenUnsatisfiable) => {
      nodes({ a1: ['a', 1], b1: ['b', 0] });
      const constraints = Array.from({ length: 2_000 }, (_, at) => {
        const labelSelector = { matchLabels: { app: 'web', at: String(at) } };
        return hard({ topologyKey: `key-${at}`, whenUnsatisfiable, labelSelector });
      });
      const spies = [vi.spyOn(ClusterState.prototype, 'domains'), vi.spyOn(ClusterState.prototype, 'podCounts')];
      const { reasons, scores } = await judged(by(...constraints));
      const calls = spies.map((spy) => spy.mock.calls.length);
      vi.restoreAllMocks();
      expect(reasons.a1).toBe(whenUnsatisfiable === 'DoNotSchedule' ? NO_LABEL : '');
      if (whenUnsatisfiable === 'ScheduleAnyway') expect(scores).toEqual({ a1: 0, b1: 0 });
      expect(calls).toEqual([0, 0]);
    },
  );

  it('all hold where a node has the labels of many', async () => {
    const keys = Array.from({ length: 12 }, (_, at) => `key-${at}`);
    const labels = (value: string) => Object.fromEntries(keys.map((key) => [key, value]));
    cluster.node('a1', { labels: labels('a') });
    cluster.node('b1', { labels: labels('b') });
    cluster.node('x1', { labels: { 'key-0': 'x' } });
    placed('p', 'a1');
    const all = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') =>
      by(...keys.map((topologyKey) => hard({ topologyKey, whenUnsatisfiable })));
    expect((await judged(all('DoNotSchedule'))).reasons).toEqual({ a1: SKEWED, b1: '', x1: NO_LABEL });
    expect((await judged(all('ScheduleAnyway'))).scores).toEqual({ a1: 0, b1: 200, x1: 0 });
  });

  it('count neither the pod where they do not mean it, nor other namespaces, nor pods on their way out', async () => {
    nodes({ a1: ['a', 1], b1: ['b', 0] });
    expect((await judged(by(hard()))).reasons.a1).toBe(SKEWED);
    expect((await judged({ ...by(hard()), labels: { app: 'db' } })).reasons.a1).toBe('');
    await cluster.deletePod({ namespace: 'default', name: 'a1-0' });
    placed('other', 'a1', { namespace: 'other' });
    expect((await judged(by(hard()))).reasons.a1).toBe('');
  });

  it('take the fewest as none while there are fewer places than wanted', async () => {
    nodes({ a1: ['a', 1], b1: ['b', 1] });
    expect((await judged(by(hard({ minDomains: 2 })))).reasons).toEqual({ a1: '', b1: '' });
    expect((await judged(by(hard({ minDomains: 3 })))).reasons).toEqual({ a1: SKEWED, b1: SKEWED });
  });

  it('compare places of nodes with all the labels alone', async () => {
    nodes({ a1: ['a', 1], b1: ['b', 0] });
    const both = by(hard(), hard({ topologyKey: 'rack', maxSkew: 5 }));
    expect((await judged(both)).reasons).toEqual({ a1: NO_LABEL, b1: NO_LABEL });
    cluster.node('a1', { labels: { [ZONE]: 'a', rack: '1' } });
    // Zone b has no node with both labels: it is no place to compare with.
    expect((await judged(both)).reasons).toEqual({ a1: '', b1: NO_LABEL });
  });

  it.each<[string, Partial<TopologySpreadConstraint>, string]>([
    ['affinity by default, and taints not', {}, ''],
    ['no affinity', { nodeAffinityPolicy: 'Ignore' }, SKEWED],
    ['taints too', { nodeTaintsPolicy: 'Honor' }, ''],
  ])('compare nodes that the pod can be on: %s', async (_what, more, reason) => {
    nodes({ a1: ['a', 1], b1: ['b', 0] });
    cluster.node('a1', { labels: { [ZONE]: 'a', disk: 'ssd' } });
    const { spec } = by(hard(more));
    expect((await judged({ spec: { ...spec, nodeSelector: { disk: 'ssd' } } })).reasons.a1).toBe(reason);
  });

  it.each([
    ['Ignore', SKEWED],
    ['Honor', ''],
  ] as const)('count tainted nodes by the policy: %s', async (nodeTaintsPolicy, reason) => {
    nodes({ a1: ['a', 1] });
    cluster.node('b1', { labels: { [ZONE]: 'b' }, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
    expect((await judged(by(hard({ nodeTaintsPolicy })))).reasons.a1).toBe(reason);
  });

  it('mean pods with the same values of labels that they name', async () => {
    nodes({ a1: ['a', 0], b1: ['b', 0] });
    placed('old', 'a1', { labels: { app: 'web', version: '1' } });
    const constraint = by(hard({ matchLabelKeys: ['version', 'absent'] }));
    const labels = (version: string) => ({ app: 'web', version });
    expect((await judged({ ...constraint, labels: labels('1') })).reasons.a1).toBe(SKEWED);
    expect((await judged({ ...constraint, labels: labels('2') })).reasons.a1).toBe('');
  });
});

describe('constraints that should hold', () => {
  const soft = (more: Partial<TopologySpreadConstraint> = {}) => hard({ whenUnsatisfiable: 'ScheduleAnyway', ...more });

  it('prefer places with fewer, and nodes without a label least', async () => {
    nodes({ a1: ['a', 2], b1: ['b', 0], x1: [undefined, 0] });
    expect((await judged(by(soft()))).scores).toEqual({ a1: 0, b1: 200, x1: 0 });
  });

  it('score all alike where there are none', async () => {
    nodes({ a1: ['a', 0], b1: ['b', 0] });
    expect((await judged(by(soft()))).scores).toEqual({ a1: 200, b1: 200 });
  });

  it('are there by default for pods of a Service, also on nodes without a zone', async () => {
    nodes({ a1: ['a', 2], b1: ['b', 0], x1: [undefined, 1] });
    expect((await judged({})).scores).toBeUndefined();
    cluster.informers.services.put('default/web', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' } },
    } as object);
    const scores = (await judged({})).scores ?? {};
    // What a node without a zone lacks counts for it: it has nothing of a skew that is tolerated there.
    expect(scores).toEqual({ a1: 66, b1: 166, x1: 200 });
  });

  it.each<[string, object, boolean]>([
    ['ReplicaSet', { selector: { matchLabels: { app: 'web' } } }, true],
    ['ReplicaSet', { selector: { matchExpressions: [{ key: 'k', operator: 'Nonsense' }] } }, false],
    ['ReplicaSet', {}, false],
  ])('are there for pods of a %s with %j', async (kind, spec, isThere) => {
    nodes({ a1: ['a', 2], b1: ['b', 0] });
    cluster.informers.replicaSets.put('default/r', { metadata: { name: 'r', namespace: 'default' }, spec } as object);
    const owner = { apiVersion: 'apps/v1', kind, name: 'r', uid: 'u', controller: true };
    expect((await judged({ ownerReferences: [owner] })).scores !== undefined).toBe(isThere);
  });

  it('of the configuration replace them, also as ones that must hold', async () => {
    nodes({ a1: ['a', 1], b1: ['b', 0] });
    cluster.informers.services.put('default/web', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' } },
    } as object);
    const { labelSelector: _, ...constraint } = hard();
    const args = { defaultingType: 'List', defaultConstraints: [constraint] };
    expect((await judged({}, args)).reasons).toEqual({ a1: SKEWED, b1: '' });
    expect((await judged(by(soft()), args)).reasons).toEqual({ a1: '', b1: '' });
  });
});

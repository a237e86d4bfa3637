import { labelSelectorOf, namesOf } from '@orch/machinery';
import { ACTION, type CountsByNode, type PodCondition, podInfoOf } from '@orch/scheduler-plugins';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { FakeCluster } from '../testing/fake-cluster.js';
import { seeded } from '../testing/seeded.js';
import { ClusterState } from './cluster-state.js';

const MIB = 1_048_576;
const ZONE = 'topology.kubernetes.io/zone';
const newState = () => new ClusterState(new FakeCluster().informers, namesOf('kubernetes'));

function node(name: string, zone?: string, status: Node['status'] = {}): Node {
  const labels = { name, ...(zone && { [ZONE]: zone }) };
  return { metadata: { name, labels }, status: { allocatable: { cpu: '4', pods: '10' }, ...status } };
}

interface Settings {
  readonly labels?: Record<string, string>;
  readonly namespace?: string;
  readonly cpu?: string;
  readonly isTerminating?: boolean;
  readonly spec?: Pod['spec'];
}

function pod(uid: string, { labels = {}, namespace = 'n', cpu = '1', isTerminating, spec }: Settings = {}) {
  return podInfoOf({
    metadata: {
      uid,
      name: uid,
      namespace,
      labels,
      ...(isTerminating && { deletionTimestamp: '2023-04-11T00:00:00Z' }),
    },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
  });
}

const named = (counts: CountsByNode) => Object.fromEntries([...counts].map(([{ name }, count]) => [name, count]));
/** Sums by zone, added up anew, of nodes that are known and have some labels. */
function summed(counts: CountsByNode, needed: readonly string[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [{ isKnown, labels }, count] of counts) {
    const zone = isKnown && needed.every((label) => labels[label] !== undefined) ? labels[ZONE] : undefined;
    if (zone !== undefined) sums.set(zone, (sums.get(zone) ?? 0) + count);
  }
  return sums;
}
const meant = (labels: Record<string, string>, ...namespaces: string[]): PodCondition => ({
  namespaces: new Set(namespaces),
  selector: labelSelectorOf({ matchLabels: labels }),
});

describe('pods on nodes', () => {
  it('count once, whether assumed, shown, or both', () => {
    const state = newState();
    state.setNode(node('a'));
    state.assume(pod('p'), 'a');
    expect(state.sizes).toEqual({ nodes: 1, pods: 1, assumedPods: 1 });
    state.setPod(pod('p'), 'a');
    expect(state.sizes).toEqual({ nodes: 1, pods: 1, assumedPods: 0 });
    expect(state.node('a')?.requested.cpu).toBe(1_000);
    expect(state.node('a')?.podCount).toBe(1);
  });

  it('leave their node as it was before, however much they have asked for, and by whatever names', () => {
    const state = newState();
    state.setNode(node('a'));
    state.setPod(pod('p', { cpu: '1234m' }), 'a');
    state.setPod(pod('huge', { cpu: '9E' }), 'a');
    state.setPod(pod('q', { cpu: '321m' }), 'a');
    const requests = { 'example.com/any': '1', 'example.com/huge': '9E' };
    state.setPod(pod('own', { spec: { containers: [{ name: 'c', resources: { requests } }] } }), 'a');
    state.removePod('huge');
    state.removePod('own');
    const { requested, scoredRequested } = state.node('a') ?? {};
    expect([requested?.cpu, scoredRequested?.cpu]).toEqual([1_555, 1_555]);
    expect([...(requested?.others ?? [])]).toEqual([]);
  });

  it('are counted by very long conditions each time anew', () => {
    const state = newState();
    state.setNode(node('a'));
    const labels = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`label-${at}`, 'value']));
    const conditions = [meant(labels, 'n')];
    expect(named(state.podCounts(conditions, false))).toEqual({});
    state.setPod(pod('p', { labels }), 'a');
    expect(named(state.podCounts(conditions, false))).toEqual({ a: 1 });
    expect(state.podCounts(conditions, false)).not.toBe(state.podCounts(conditions, false));
  });

  it('are not forgotten once the API has shown them, and are before', () => {
    const state = newState();
    state.setNode(node('a'));
    state.assume(pod('p'), 'a');
    state.assume(pod('q'), 'a');
    state.setPod(pod('p'), 'a');
    state.forget('p');
    state.forget('q');
    expect(state.node('a')?.podCount).toBe(1);
    expect([state.nodeOf('p'), state.nodeOf('q')]).toEqual(['a', undefined]);
  });

  it('move where the API shows them elsewhere than they were assumed', () => {
    const state = newState();
    for (const name of ['a', 'b']) state.setNode(node(name));
    state.assume(pod('p'), 'a');
    state.setPod(pod('p'), 'b');
    expect(['a', 'b'].map((name) => state.node(name)?.requested.cpu)).toEqual([0, 1_000]);
  });

  it('are remembered while their node is not known, and count when it comes', () => {
    const state = newState();
    state.setPod(pod('p'), 'a');
    expect(state.node('a')).toBeUndefined();
    expect(state.nodes).toEqual([]);
    state.setNode(node('a'));
    expect(state.node('a')?.podCount).toBe(1);
    state.removeNode('a');
    expect([state.node('a'), state.nodes.length]).toEqual([undefined, 0]);
    state.setNode(node('a'));
    expect(state.node('a')?.requested.cpu).toBe(1_000);
    state.removeNode('a');
    state.removePod('p');
    state.setNode(node('a'));
    expect(state.node('a')?.podCount).toBe(0);
  });

  it('take up what they ask for also where their affinity cannot be parsed', () => {
    const state = newState();
    state.setNode(node('a'));
    const term = (operator: string, key = 'k') => ({
      topologyKey: 'name',
      labelSelector: { matchExpressions: [{ key, operator }] },
    });
    const affinity = {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('Nonsense')] },
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('Exists')] },
    };
    state.setPod(
      pod('p', { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }], affinity } }),
      'a',
    );
    expect(state.node('a')?.requested.cpu).toBe(3_000);
    expect([...state.placedTerms('requiredAnti')].length).toBe(1);
  });
});

describe('changes of nodes', () => {
  const full = node('a', 'z', {
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2023-04-11T00:00:00Z' }],
  });
  const with_ = (change: Partial<Node>): Node => ({ ...full, ...change });

  it.each<[string, Node, number]>([
    [
      'a heartbeat',
      with_({
        status: {
          ...full.status,
          conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2023-04-11T00:00:10Z' }],
        },
      }),
      0,
    ],
    ['annotations', with_({ metadata: { ...full.metadata, annotations: { a: 'b' }, resourceVersion: '7' } }), 0],
    [
      'a condition',
      with_({ status: { ...full.status, conditions: [{ type: 'Ready', status: 'False' }] } }),
      ACTION.updateConditions,
    ],
    ['labels', with_({ metadata: { name: 'a', labels: { x: 'y' } } }), ACTION.updateLabels],
    ['taints', with_({ spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }), ACTION.updateTaints],
    ['cordoned', with_({ spec: { unschedulable: true } }), 0],
    [
      'more room',
      with_({ status: { ...full.status, allocatable: { cpu: '8', pods: '10' } } }),
      ACTION.updateAllocatable,
    ],
  ])('are told apart: %s', (_what, after, changes) => {
    const state = newState();
    expect(state.setNode(full)).toBe(ACTION.add);
    expect(state.setNode(after)).toBe(changes);
  });

  it('rebuild nothing where only a heartbeat has come', () => {
    const state = newState();
    state.setNode(full);
    state.setNode(node('b', 'y'));
    const [nodes, info] = [state.nodes, state.node('a')];
    const { allocatable, images } = info ?? {};
    state.setNode({ ...structuredClone(full), metadata: { ...full.metadata, resourceVersion: '2' } });
    expect(state.nodes).toBe(nodes);
    expect(state.node('a')).toBe(info);
    expect(info?.allocatable).toBe(allocatable);
    expect(info?.images).toBe(images);
    expect(info?.node.metadata?.resourceVersion).toBe('2');
  });

  it('that could not be read are there once they can', () => {
    const state = newState();
    expect(() => state.setNode(node('a', 'x', { allocatable: { cpu: '4', pods: 'many' } }))).toThrow();
    expect(state.nodes).toEqual([]);
    expect(state.setNode(node('a', 'x'))).toBe(ACTION.add);
    expect(state.nodes.map(({ name, maxPods }) => [name, maxPods])).toEqual([['a', 10]]);
    expect(() => state.setNode(node('a', 'y', { allocatable: { cpu: 'much' } }))).toThrow();
    expect([state.node('a')?.maxPods, state.node('a')?.labels[ZONE]]).toEqual([10, 'x']);
    state.setNode(node('a', 'y'));
    expect([...state.domains(ZONE, [])]).toEqual(['y']);
  });

  it('uncordoned counts as a change of taints', () => {
    const state = newState();
    state.setNode(with_({ spec: { unschedulable: true } }));
    expect(state.setNode(full)).toBe(ACTION.updateTaints);
  });

  it('keep the numbers of nodes that have an image', () => {
    const state = newState();
    const image = (name: string) => ({ images: [{ names: [name, `${name}@x`], sizeBytes: 30 * MIB }] });
    state.setNode(node('a', 'z', image('i')));
    state.setNode(node('b', 'z', image('i')));
    expect(state.nodesWithImage('i@x')).toBe(2);
    state.setNode(node('b', 'z', image('j')));
    state.removeNode('a');
    expect(['i', 'j', 'k'].map((name) => state.nodesWithImage(name))).toEqual([0, 1, 0]);
  });

  it('have zones take turns', () => {
    const state = newState();
    for (const [name, zone] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
      ['x1', undefined],
    ] as const)
      state.setNode(node(name, zone));
    expect(state.nodes.map(({ name }) => name)).toEqual(['a1', 'b1', 'x1', 'a2', 'a3']);
    state.setNode(node('a2', 'b'));
    state.removeNode('x1');
    expect(state.nodes.map(({ name }) => name)).toEqual(['a1', 'b1', 'a3', 'a2']);
  });
});

describe('counts of pods by conditions', () => {
  const CONDITIONS: readonly (readonly PodCondition[])[] = [
    [meant({ app: 'a' }, 'n')],
    [meant({ app: 'a' }, 'n', 'o')],
    [meant({ app: 'b' }, 'o')],
    [meant({ app: 'a' }, 'n', 'o'), meant({ tier: 'x' }, 'n', 'o')],
    [meant({}, 'n')],
    [{ namespaces: new Set(['n']), selector: labelSelectorOf(undefined) }],
    [{ namespaces: undefined, selector: labelSelectorOf({ matchLabels: { app: 'a' } }) }],
  ];

  /** Counts all pods anew. */
  function recount(
    pods: ReadonlyMap<string, readonly [ReturnType<typeof pod>, string]>,
    all: readonly PodCondition[],
    withTerminating: boolean,
  ) {
    const counts: Record<string, number> = {};
    for (const [{ namespace, labels, isTerminating }, on] of pods.values()) {
      const isMeant = all.every((each) => (each.namespaces?.has(namespace) ?? true) && each.selector.matches(labels));
      if (isMeant && (withTerminating || !isTerminating)) counts[on] = (counts[on] ?? 0) + 1;
    }
    return counts;
  }

  it.each(Array.from({ length: 20 }, (_, at) => 1 + at))('are right after random changes: seed %i', (seed) => {
    const random = seeded(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const state = newState();
    const pods = new Map<string, readonly [ReturnType<typeof pod>, string]>();
    const assumed = new Set<string>();
    const nodes = ['a', 'b', 'c', 'd'];
    const anti = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'name', labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    };
    for (let step = 0; step < 400; step++) {
      const uid = `p${Math.floor(random() * 30)}`;
      const labels = { app: pick(['a', 'b']), ...(random() < 0.5 && { tier: 'x' }) };
      const info = pod(uid, {
        ...{ labels, namespace: pick(['n', 'o']), isTerminating: random() < 0.2, cpu: pick(['100m', '300m']) },
        ...(random() < 0.3 && { spec: { containers: [], affinity: anti } }),
      });
      const on = pick(nodes);
      const action = pick(['set', 'set', 'assume', 'forget', 'remove', 'node', 'gone', 'ask']);
      if (action === 'set' || action === 'assume') {
        if (action === 'set') state.setPod(info, on);
        else state.assume(info, on);
        pods.set(uid, [info, on]);
        if (action === 'set') assumed.delete(uid);
        else assumed.add(uid);
      } else if (action === 'remove') {
        state.removePod(uid);
        pods.delete(uid);
        assumed.delete(uid);
      } else if (action === 'forget') {
        state.forget(uid);
        if (assumed.delete(uid)) pods.delete(uid);
      } else if (action === 'node') state.setNode(node(on, pick(['x', 'y'])));
      else if (action === 'gone') state.removeNode(on);
      else {
        const [all, withTerminating] = [pick(CONDITIONS), random() < 0.5];
        const counts = state.podCounts(all, withTerminating);
        expect(named(counts)).toEqual(recount(pods, all, withTerminating));
        const needed = pick([[], ['name']]);
        expect(new Map(counts.sums(ZONE, needed))).toEqual(summed(counts, needed));
        const zones = [...state.nodes].flatMap(({ labels }) => labels[ZONE] ?? []);
        expect(state.domains(ZONE, needed)).toEqual(new Set(zones));
      }
    }
    for (const all of CONDITIONS)
      for (const withTerminating of [true, false])
        expect(named(state.podCounts(all, withTerminating))).toEqual(recount(pods, all, withTerminating));
    for (const name of nodes) state.setNode(node(name));
    for (const name of nodes) {
      const there = [...pods.values()].filter(([, on]) => on === name).map(([info]) => info);
      expect(state.node(name)?.requested.cpu).toBe(there.reduce((sum, { requests }) => sum + requests.cpu, 0));
      expect(state.node(name)?.podCount).toBe(there.length);
      const withTerms = there.filter(({ affinity }) => affinity.requiredAnti.length > 0).length;
      const counted = [...state.placedTerms('requiredAnti')].map(({ counts }) => named(counts)[name] ?? 0);
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(withTerms);
    }
  });

  it('have sums by more labels than are kept', () => {
    const state = newState();
    const labels = Array.from({ length: 100 }, (_, at) => `l${at}`);
    state.setNode({ metadata: { name: 'a', labels: Object.fromEntries(labels.map((label) => [label, 'x'])) } });
    const all = [meant({ app: 'a' }, 'n')];
    const sums = () => labels.map((label) => state.podCounts(all, true).sums(label).get('x') ?? 0);
    expect(sums()).toEqual(labels.map(() => 0));
    state.setPod(pod('p', { labels: { app: 'a' } }), 'a');
    expect(sums()).toEqual(labels.map(() => 1));
    expect(labels.map((label) => state.domains(label, []).size)).toEqual(labels.map(() => 1));
    const asked = () => [state.podCounts(all, true).sums('l0'), state.domains('l0', [])];
    const [kept, same] = [asked(), asked()];
    expect(same.map((each, at) => each === kept[at])).toEqual([true, true]);
    for (const label of labels) state.domains(label, []);
    sums();
    // Otherwise all that anybody ever asked for would be kept.
    expect(asked().map((each, at) => each === kept[at])).toEqual([false, false]);
  });

  it('have sums by labels with any names', () => {
    const state = newState();
    state.setNode({ metadata: { name: 'a', labels: { x: '1', y: '1', z: '1' } } });
    state.setPod(pod('p', { labels: { app: 'a' } }), 'a');
    const counts = state.podCounts([meant({ app: 'a' }, 'n')], true);
    for (const needed of [['x', 'y,z'], ['x', 'y', 'z'], ['x,y,z']]) {
      const isThere = needed.length === 3;
      expect([counts.sums('x', needed).size, state.domains('x', needed).size]).toEqual(isThere ? [1, 1] : [0, 0]);
    }
  });

  it('are kept right for more of them than are remembered', () => {
    const state = newState();
    state.setNode(node('a'));
    const all = Array.from({ length: 300 }, (_, at) => [meant({ app: `${at}` }, 'n')]);
    for (const each of all) state.podCounts(each, true);
    for (let at = 0; at < all.length; at++) state.setPod(pod(`p${at}`, { labels: { app: `${at}` } }), 'a');
    for (const each of all) expect(named(state.podCounts(each, true))).toEqual({ a: 1 });
  });
});

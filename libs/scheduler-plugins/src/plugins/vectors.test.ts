import { labelSelectorOf, NodeSelector, namesOf, toleratesTaint, untoleratedTaint } from '@orch/machinery';
import { haveVectors, sharedVectors } from '@orch/machinery/testing';
import { ClusterState, FakeCluster } from '@orch/scheduler/testing';
import type { Node, NodeSelectorTerm, PreferredSchedulingTerm, Taint, Toleration } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { ResourceAmounts } from '../framework/amounts.js';
import { NodeInfo } from '../framework/node-info.js';
import { normalizeScores } from '../framework/plugin.js';
import type { ScoringStrategy } from '../framework/plugin-args.js';
import { podInfoOf } from '../framework/pod-info.js';
import { podRequests } from '../framework/pod-requests.js';
import { scaled } from './affinity/affinity-score.js';
import { imageName, imageScore, spreadSize } from './image-locality.js';
import { preferenceOf, requiredNodeAffinity, weighted } from './node-affinity.js';
import { insufficient } from './resources/fit.js';
import { balancedScorer, scorerOf } from './resources/strategies.js';
import type { SpreadConstraint } from './spread/constraints.js';
import { SpreadFilter } from './spread/spread-filter.js';
import { spreadScores } from './spread/spread-score.js';

type Resources = Record<string, number>;
const FILE = 'scheduler-vectors.jsonl';
const each = <T>(kind: string) => sharedVectors<T & { id: string }>(FILE, kind);

function amounts(resources: Resources): ResourceAmounts {
  const made = new ResourceAmounts();
  for (const [name, amount] of Object.entries(resources)) if (name !== 'pods') made.set(name, amount);
  return made;
}

const quantity = (name: string, amount: number) => (name === 'cpu' ? `${amount}m` : String(amount));
const list = (resources: Resources) =>
  Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, quantity(name, amount)]));

describe.skipIf(!haveVectors)('the vectors of the scheduler', () => {
  it('are there', () => {
    expect(sharedVectors(FILE).length).toBe(999);
  });

  interface Scoring {
    strategy: ScoringStrategy['type'] | 'BalancedAllocation';
    requested: Resources;
    allocatable: Resources;
    weights?: Resources;
    resources?: string[];
    shape?: ScoringStrategy['shape'];
    score: number;
  }
  it.each(each<Scoring>('resources'))('$id: resources are scored', (vector) => {
    const { strategy, requested, allocatable, weights, resources, shape = [], score } = vector;
    const weighed = weights
      ? Object.entries(weights).map(([name, weight]) => ({ name, weight }))
      : (resources ?? []).map((name) => ({ name, weight: 1 }));
    const scorer =
      strategy === 'BalancedAllocation' ? balancedScorer : scorerOf({ type: strategy, resources: weighed, shape });
    // What is scored is the sum with the pod: an amount of 0 says nothing about whether the pod asks for it.
    const of = (amounts: Resources) => weighed.map(({ name }) => amounts[name] ?? 0);
    const counted = of(allocatable).map((capacity, at) => (capacity === 0 ? 0 : (of(requested)[at] as number)));
    expect(scorer(counted, of(allocatable))).toBe(score);
  });

  interface Requests {
    pod: { containers: Resources[]; init: Resources[]; overhead: Resources };
    requested: Resources;
    scored: Resources;
  }
  it.each(each<Requests>('pod-request'))('$id: the requests of a pod', ({ pod, requested, scored }) => {
    const container = (resources: Resources) => ({ name: 'c', resources: { requests: list(resources) } });
    const found = podRequests({
      containers: pod.containers.map(container),
      initContainers: pod.init.map(container),
      overhead: list(pod.overhead),
    });
    for (const [name, amount] of Object.entries(requested)) expect(found.counted.get(name)).toBe(amount);
    for (const [name, amount] of Object.entries(scored)) expect(found.scored.get(name)).toBe(amount);
  });

  it.each(each<{ allocatable: Resources; used: Resources; pod: Resources; reasons: string[] }>('fit'))(
    '$id: what is insufficient',
    ({ allocatable, used, pod, reasons }) => {
      const node = new NodeInfo('n');
      node.allocatable = amounts(allocatable);
      node.maxPods = allocatable.pods ?? 0;
      node.requested.add(amounts(used));
      for (let at = 0; at < (used.pods ?? 0); at++) node.addPod(podInfoOf({ metadata: { uid: String(at) } }));
      expect(insufficient(amounts(pod), node, () => false)).toEqual(reasons);
    },
  );

  it.each(each<{ scores: number[]; reverse: boolean; normalized: number[] }>('normalize'))(
    '$id: scores are scaled',
    ({ scores, reverse, normalized }) => {
      expect(normalizeScores([...scores], reverse)).toEqual(normalized);
    },
  );

  it.each(each<{ sums: number[]; scores: number[] }>('affinity-normalize'))('$id: sums are scaled', (vector) => {
    expect(scaled(vector.sums)).toEqual(vector.scores);
  });

  it.each(each<{ image: string; name: string }>('image-name'))('$id: the name of an image', ({ image, name }) => {
    expect(imageName(image)).toBe(name);
  });

  interface Locality {
    nodes: number;
    containers: { onThisNode: boolean; bytes: number; nodesThatHaveIt: number }[];
    score: number;
  }
  it.each(each<Locality>('image-locality'))('$id: images are scored', ({ nodes, containers, score }) => {
    const here = containers.filter(({ onThisNode }) => onThisNode);
    const sum = here.reduce(
      (total, { bytes, nodesThatHaveIt }) => total + spreadSize(bytes, nodesThatHaveIt, nodes),
      0,
    );
    expect(imageScore(sum, containers.length)).toBe(score);
  });

  interface Tolerance {
    taints: Taint[];
    tolerations: Toleration[];
    tolerated: boolean[];
    schedule: { untolerated: Taint | null };
    prefer: { untolerated: Taint | null };
    evict: { untolerated: Taint | null };
  }
  it.each(each<Tolerance>('toleration'))('$id: taints are tolerated', (vector) => {
    const { taints, tolerations, tolerated } = vector;
    expect(taints.map((taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint)))).toEqual(
      tolerated,
    );
    const first = (...effects: string[]) => untoleratedTaint(taints, tolerations, effects) ?? null;
    expect(first('NoSchedule', 'NoExecute')).toEqual(vector.schedule.untolerated);
    expect(first('PreferNoSchedule')).toEqual(vector.prefer.untolerated);
    expect(first('NoExecute')).toEqual(vector.evict.untolerated);
  });

  interface Affinity {
    nodeSelector: Record<string, string> | null;
    required: { nodeSelectorTerms: NodeSelectorTerm[] | null } | null;
    nodes: Node[];
    results: { match: boolean; error?: boolean }[];
  }
  it.each(each<Affinity>('node-affinity'))('$id: node affinity matches', (vector) => {
    const { nodeSelector, required, nodes, results } = vector;
    const terms = { nodeSelectorTerms: required?.nodeSelectorTerms ?? [] };
    const spec = {
      ...(nodeSelector && { nodeSelector }),
      ...(required && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } }),
    };
    const isRequired = requiredNodeAffinity(podInfoOf({ spec }));
    expect(nodes.map((node) => isRequired?.(nodeInfo(node)) ?? true)).toEqual(results.map(({ match }) => match));
    if (!required || nodeSelector) return;
    const selector = new NodeSelector(terms.nodeSelectorTerms);
    for (const [at, { match, error }] of results.entries()) {
      const matches = () => selector.matches(nodeInfo(nodes[at] as Node));
      if (error) expect(matches).toThrow();
      else expect(matches()).toBe(match);
    }
  });

  interface Preference {
    preferred: PreferredSchedulingTerm[];
    nodes: Node[];
    scores?: number[];
    error?: boolean;
  }
  it.each(each<Preference>('node-preference'))('$id: preferred nodes', ({ preferred, nodes, scores, error }) => {
    if (error) expect(() => weighted(preferred)).toThrow();
    else expect(nodes.map((node) => preferenceOf(weighted(preferred), nodeInfo(node)))).toEqual(scores);
  });

  interface Spread {
    constraints: { topologyKey: string; maxSkew: number; minDomains?: number; selfMatch?: boolean }[];
    nodes: Record<string, Record<string, string>>;
    matchingPods: Record<string, number[]>;
  }
  it.each(each<Spread & { eligible: string[]; result: Record<string, string> }>('spread-filter'))(
    '$id: spread is kept',
    (vector) => {
      const { view, constraints, pod } = spread(vector, vector.eligible);
      const filter = SpreadFilter.of(pod, constraints, view);
      const results = view.nodes.map((node) => [node.name, filter.filter(node)?.reasons.join() ?? 'ok']);
      expect(Object.fromEntries(results)).toEqual(vector.result);
    },
  );

  it.each(each<Spread & { candidates: string[]; scores: Record<string, number> }>('spread-score'))(
    '$id: spread is scored',
    (vector) => {
      const { view, constraints, pod } = spread(vector);
      const nodes = vector.candidates.map((name) => view.node(name) as NodeInfo);
      const scores = spreadScores(pod, constraints, nodes, view, {
        needsAllKeys: true,
        hostname: 'kubernetes.io/hostname',
      });
      expect(Object.fromEntries(vector.candidates.map((name, at) => [name, scores[at]]))).toEqual(vector.scores);
    },
  );

  /** A cluster with as many pods as the vector says, each of which one constraint alone means. */
  function spread({ constraints, nodes, matchingPods }: Spread, eligible?: readonly string[]) {
    const cluster = new FakeCluster();
    const view = new ClusterState(cluster.informers, namesOf('kubernetes'));
    for (const [name, labels] of Object.entries(nodes)) view.setNode({ metadata: { name, labels } });
    for (const [node, counts] of Object.entries(matchingPods)) {
      for (const [at, count] of counts.entries()) {
        for (let pod = 0; pod < count; pod++) {
          const metadata = { namespace: 'default', uid: `${node}/${at}/${pod}`, labels: { [`c${at}`]: 'x' } };
          view.setPod(podInfoOf({ metadata }), node);
        }
      }
    }
    const parsed = constraints.map(
      ({ topologyKey, maxSkew, minDomains = 1 }, at): SpreadConstraint => ({
        ...{ topologyKey, maxSkew, minDomains },
        selector: labelSelectorOf({ matchLabels: { [`c${at}`]: 'x' } }),
        isEligible: ({ name }) => eligible?.includes(name) ?? true,
      }),
    );
    const labels = Object.fromEntries(constraints.flatMap(({ selfMatch }, at) => (selfMatch ? [[`c${at}`, 'x']] : [])));
    return { view, constraints: parsed, pod: podInfoOf({ metadata: { namespace: 'default', labels } }) };
  }
});

function nodeInfo(node: Node): NodeInfo {
  const info = new NodeInfo(node.metadata?.name ?? '');
  info.setNode(node);
  return info;
}

import { namesOf } from '@orch/machinery';
import { type NodeInfo, type PodInfo, type Profile, podInfoOf, type Rejection } from '@orch/scheduler-plugins';
import type { Pod } from '@orch/schema/types/core/v1';
import { ClusterState } from '../cluster/cluster-state.js';
import type { SchedulingDecision } from '../cycle/decision.js';
import { FilterEvaluation } from '../cycle/filter-evaluation.js';
import { SchedulingCycle } from '../cycle/scheduling-cycle.js';
import { victimsOn } from '../preemption/victims.js';
import { Nominations } from '../queue/nominations.js';
import type { FakeCluster } from './fake-cluster.js';
import { BLIND } from './run-scheduler.js';

/** Verdicts of a profile on a pod and each node, for comparisons. */
export interface Explanation {
  /** Reasons against each node, by its name; empty for one that the pod can be on. Absent where it can be on none. */
  readonly reasons: Readonly<Record<string, string>> | undefined;
  /** Weighed scores of the nodes that the pod can be on, by plugin; a plugin that makes no difference is absent. */
  readonly scores: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Message where no node can be chosen. */
  readonly message: string | undefined;
  /** Pods that would have to go, by each node on which that helps. */
  readonly victims: Readonly<Record<string, Victims>>;
}

/** Pods that would have to go from a node. */
export interface Victims {
  /** Their names with namespaces, sorted. */
  readonly pods: readonly string[];
  /** Number of them whose deletion violates a budget. */
  readonly violations: number;
  /** Whether the node may be chosen: no other is better. */
  readonly isBest: boolean;
}

const placed = ({ spec, status }: Pod) =>
  spec?.nodeName && status?.phase !== 'Succeeded' && status?.phase !== 'Failed' ? spec.nodeName : undefined;

/** Returns the state of a cluster as its informers show it. */
export function stateOf({ informers }: FakeCluster): ClusterState {
  const state = new ClusterState(informers, namesOf('kubernetes'));
  for (const node of informers.nodes.list()) state.setNode(node);
  for (const pod of informers.pods.list()) {
    const node = placed(pod);
    if (node) state.setPod(podInfoOf(pod), node);
  }
  return state;
}

/** Returns the pods that wait for a node which they are nominated for. */
function nominationsIn({ informers }: FakeCluster): Nominations {
  const nominations = new Nominations();
  for (const pod of informers.pods.list()) if (!pod.spec?.nodeName) nominations.update('', podInfoOf(pod));
  return nominations;
}

/** Explains what would be decided about a pod that is not in the cluster yet. */
export async function explain(cluster: FakeCluster, pod: Pod, profile: Profile): Promise<Explanation> {
  const state = stateOf(cluster);
  const info = podInfoOf(pod);
  const nominations = nominationsIn(cluster);
  const evaluation = FilterEvaluation.prepare(info, profile.filters, state, (node) => nominations.on(node));
  const reasons = 'reasons' in evaluation ? undefined : reasonsOf(state.nodes, evaluation);
  const feasible = state.nodes.filter(({ name }) => reasons?.[name] === '');
  const { message, best } = await decisionsOf(cluster, state, info, profile);
  const victims = 'reasons' in evaluation || feasible.length > 0 ? {} : victimsBy(cluster, state, evaluation, best);
  return { reasons, scores: scoresOf(info, feasible, state, profile), message, victims };
}

const textOf = (rejection: Rejection | undefined): string => rejection?.reasons.join() ?? '';

function reasonsOf(nodes: readonly NodeInfo[], evaluation: FilterEvaluation): Readonly<Record<string, string>> {
  const of = (node: NodeInfo) =>
    evaluation.candidates?.has(node.name) === false ? 'not named' : textOf(evaluation.filter(node));
  return Object.fromEntries(nodes.map((node) => [node.name, of(node)]));
}

function scoresOf(pod: PodInfo, nodes: readonly NodeInfo[], state: ClusterState, { scores }: Profile) {
  const byPlugin = scores.flatMap(({ plugin, weight }) => {
    const found = plugin.score(pod, nodes, state);
    return found ? [[plugin.name, byNode(nodes, found, weight)] as const] : [];
  });
  return Object.fromEntries(byPlugin);
}

const byNode = (nodes: readonly NodeInfo[], scores: readonly number[], weight: number) =>
  Object.fromEntries(nodes.map(({ name }, at) => [name, (scores[at] as number) * weight]));

/** Decides once from each start of the search for victims: nodes that are as good as each other are all found. */
async function decisionsOf(cluster: FakeCluster, state: ClusterState, pod: PodInfo, profile: Profile) {
  const { informers, clock } = cluster;
  const best = new Set<string>();
  let message: string | undefined;
  for (let start = 0; start < Math.max(1, state.nodes.length); start++) {
    const random = () => start / state.nodes.length;
    const shared = { informers, clock, random, view: state, nominations: nominationsIn(cluster), observer: BLIND };
    const decision: SchedulingDecision = await new SchedulingCycle(shared).decide(pod, profile);
    if ('error' in decision) throw decision.error;
    if ('node' in decision) {
      for (const reservation of decision.reservations) reservation.undo();
      break;
    }
    message = decision.message;
    if (!decision.candidate) break;
    best.add(decision.candidate.node);
  }
  return { message, best };
}

function victimsBy(
  { informers }: FakeCluster,
  state: ClusterState,
  evaluation: FilterEvaluation,
  best: ReadonlySet<string>,
) {
  const victims: Record<string, Victims> = {};
  if (best.size === 0) return victims;
  for (const node of state.nodes) {
    if (evaluation.filter(node)?.isResolvable !== true) continue;
    const found = victimsOn(node, evaluation, (namespace) =>
      informers.podDisruptionBudgets.byIndex('namespace', namespace),
    );
    if (!('victims' in found)) continue;
    const pods = found.victims.map(({ key }) => key).sort();
    victims[node.name] = { pods, violations: found.violations, isBest: best.has(node.name) };
  }
  return victims;
}

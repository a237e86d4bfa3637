import type { SharedInformer } from '@orch/runtime/informers';
import { Slices } from '@orch/runtime/work';
import type { ClusterView, DefaultPreemptionArgs, NodeInfo, PodInfo, Rejection } from '@orch/scheduler-plugins';
import type { PodDisruptionBudget } from '@orch/schema/types/policy/v1';
import type { FilterEvaluation } from '../cycle/filter-evaluation.js';
import { notFitting } from '../cycle/fit-message.js';
import type { Extenders } from '../extenders/extenders.js';
import { bestCandidate, type Candidate } from './candidates.js';
import { victimsOn } from './victims.js';

/** Result of preemption: a node with its victims, or why there is none. */
type PreemptionOutcome = { readonly candidate: Candidate } | NotPreempted;

/** Why there is no node. */
interface NotPreempted {
  /** For the message of the pod. */
  readonly reason: string;
  /** Whether the pod keeps the node that it is nominated for: it waits for its victims. */
  readonly keepsNomination: boolean;
}

/** Dependencies of {@link Preemption}. */
interface PreemptionOptions {
  readonly view: ClusterView;
  /** Services that may refuse candidates. */
  readonly extenders?: Extenders;
  /** Indexed by `namespace`. */
  readonly budgets: SharedInformer<PodDisruptionBudget>;
  /** 0 to 1. */
  readonly random: () => number;
}

const UNHELPFUL: Rejection = {
  plugin: 'DefaultPreemption',
  reasons: ['Preemption is not helpful for scheduling'],
  isResolvable: false,
};

/** Finds pods of lower priority without which a pod would fit on a node. */
export class Preemption {
  constructor(private readonly options: PreemptionOptions) {}

  /** @param rejections why the pod cannot be on nodes, as they are */
  async find(
    evaluation: FilterEvaluation,
    rejections: ReadonlyMap<NodeInfo, Rejection>,
    args: DefaultPreemptionArgs,
  ): Promise<PreemptionOutcome> {
    const refusal = this.#refusal(evaluation.pod, (node) => rejections.get(node));
    if (refusal) return { reason: refusal, keepsNomination: true };
    const { nodes } = this.options.view;
    const helpful = nodes.filter((node) => rejections.get(node)?.isResolvable);
    const { candidates, others } = await this.#tryOut(helpful, evaluation, args);
    const { extenders, view } = this.options;
    const standing = extenders && (await extenders.preempt(evaluation.pod, candidates, (name) => view.node(name)));
    const candidate = bestCandidate(standing ?? candidates);
    if (candidate) return { candidate };
    // All were refused: the pod waits for a change.
    if (candidates.length > 0) return { reason: 'no candidate node for preemption', keepsNomination: true };
    for (const node of nodes) if (!rejections.get(node)?.isResolvable) others.set(node, UNHELPFUL);
    return { reason: notFitting(others.size, others.values()), keepsNomination: false };
  }

  /** Returns the result for a pod that can be on no node for a reason of its own. */
  unhelpful(pod: PodInfo, rejection: Rejection): NotPreempted {
    const refusal = this.#refusal(pod, () => rejection);
    if (refusal) return { reason: refusal, keepsNomination: true };
    const { nodes } = this.options.view;
    const reason = notFitting(
      nodes.length,
      nodes.map(() => UNHELPFUL),
    );
    return { reason, keepsNomination: false };
  }

  /** Returns why the pod may not preempt others; undefined where it may. */
  #refusal({ pod, priority }: PodInfo, rejection: (node: NodeInfo) => Rejection | undefined): string | undefined {
    if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
    const nominated = this.options.view.node(pod.status?.nominatedNodeName ?? '');
    if (!nominated || rejection(nominated)?.isResolvable === false) return undefined;
    for (const other of nominated.pods)
      if (other.priority < priority && isPreempted(other))
        return 'not eligible due to a terminating pod on the nominated node.';
    return undefined;
  }

  async #tryOut(nodes: readonly NodeInfo[], evaluation: FilterEvaluation, args: DefaultPreemptionArgs) {
    const { budgets, random } = this.options;
    const wanted = candidatesWanted(nodes.length, args);
    const start = Math.floor(random() * nodes.length);
    const [candidates, others] = [[] as Candidate[], new Map<NodeInfo, Rejection>()];
    const slices = new Slices();
    for (let tried = 0; tried < nodes.length && !isEnough(candidates, wanted); tried++) {
      const node = nodes[(start + tried) % nodes.length] as NodeInfo;
      const found = victimsOn(node, evaluation, (namespace) => budgets.byIndex('namespace', namespace));
      if ('victims' in found) candidates.push(found);
      else others.set(node, found);
      const pause = slices.between();
      if (pause) await pause;
    }
    return { candidates, others };
  }
}

/** Returns the number of candidates that are looked for. */
function candidatesWanted(nodes: number, args: DefaultPreemptionArgs): number {
  const share = Math.trunc((nodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(share, args.minCandidateNodesAbsolute));
}

/** Enough are found once one of them violates no budget. */
function isEnough(candidates: readonly Candidate[], wanted: number): boolean {
  return candidates.length >= wanted && candidates.some(({ violations }) => violations === 0);
}

function isPreempted({ pod, isTerminating }: PodInfo): boolean {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return isTerminating && condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}

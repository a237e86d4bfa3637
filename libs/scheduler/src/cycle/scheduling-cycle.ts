import type { Clock } from '@orch/runtime';
import type { ClusterView, NodeInfo, PluginStatus, PodInfo, Profile, Rejection } from '@orch/scheduler-plugins';
import type { Extenders } from '../extenders/extenders.js';
import { Preemption } from '../preemption/preemption.js';
import type { Nominations } from '../queue/nominations.js';
import type { PodPlacement, SchedulingDecision, Unschedulable } from './decision.js';
import { ExtensionTimer } from './extension-timer.js';
import { FilterEvaluation } from './filter-evaluation.js';
import { NodeFinder } from './find-nodes.js';
import { notFitting, notSchedulable, withPreemption } from './fit-message.js';
import type { SchedulerObserver } from './observer.js';
import type { SchedulerInformers } from './scheduler-api.js';
import { pickNode, totalScores } from './score-nodes.js';

/** Dependencies of a {@link SchedulingCycle}. */
interface SchedulingCycleOptions {
  readonly view: ClusterView;
  readonly nominations: Nominations;
  readonly informers: Pick<SchedulerInformers, 'podDisruptionBudgets'>;
  readonly observer: SchedulerObserver;
  readonly extenders?: Extenders;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Stands for the reason that there are no nodes: any change may help. */
const NO_NODES: ReadonlySet<string> = new Set(['no nodes']);

/** Decides about one pod: chooses a node, or finds pods that would have to go. Writes nothing. */
export class SchedulingCycle {
  readonly #finder: NodeFinder;
  readonly #timer: ExtensionTimer;
  readonly #preemption: Preemption;

  constructor(private readonly options: SchedulingCycleOptions) {
    const { view, informers, extenders, random } = options;
    this.#finder = new NodeFinder(view, extenders);
    this.#timer = new ExtensionTimer(options.observer, options.clock);
    const budgets = informers.podDisruptionBudgets;
    this.#preemption = new Preemption({ view, budgets, random, ...(extenders && { extenders }) });
  }

  /** Decides by the present state of the cluster, which must not change meanwhile. Never rejects. */
  async decide(pod: PodInfo, profile: Profile): Promise<SchedulingDecision> {
    const { clock, observer } = this.options;
    const begun = clock.now();
    try {
      return await this.#decide(pod, profile);
    } catch (error) {
      return { error };
    } finally {
      observer.decided((clock.now() - begun) / 1_000);
    }
  }

  async #decide(pod: PodInfo, profile: Profile): Promise<PodPlacement | Unschedulable> {
    const { view, nominations } = this.options;
    if (view.nodes.length === 0) {
      return { message: 'no nodes available to schedule pods', rejectedBy: NO_NODES, keepsNomination: false };
    }
    const evaluation = await this.#timer.time(
      'PreFilter',
      profile.name,
      async () => {
        for (const plugin of profile.filters) {
          const ahead = plugin.ahead?.(pod, view);
          if (ahead) await ahead;
        }
        return FilterEvaluation.prepare(pod, profile.filters, view, (node) => nominations.on(node));
      },
      (result) => (!('reasons' in result) ? 'Success' : statusOf(result)),
    );
    if ('reasons' in evaluation) return this.#unschedulable(pod, evaluation, profile);
    try {
      return await this.#place(pod, evaluation, profile);
    } finally {
      this.#countRuns(evaluation, profile);
    }
  }

  async #place(pod: PodInfo, evaluation: FilterEvaluation, profile: Profile): Promise<PodPlacement | Unschedulable> {
    const timer = this.#timer;
    const { feasible, rejections } = await timer.time(
      'Filter',
      profile.name,
      () => this.#finder.find(evaluation, profile.percentageOfNodesToScore),
      (found) => (found.feasible.length > 0 ? 'Success' : 'Unschedulable'),
    );
    if (feasible.length === 0) return this.#preempt(evaluation, rejections, profile);
    const node = await this.#choose(pod, feasible, profile);
    const reservations = await timer.time('Reserve', profile.name, () => evaluation.reserve(node));
    return { pod, node: node.name, reservations };
  }

  #countRuns(evaluation: FilterEvaluation, { name }: Profile): void {
    for (const { plugin, runs } of evaluation.runs) {
      this.options.observer.pluginEvaluated(plugin, 'PreFilter', name, 1);
      this.options.observer.pluginEvaluated(plugin, 'Filter', name, runs);
    }
  }

  async #choose(pod: PodInfo, feasible: readonly NodeInfo[], { name, scores }: Profile): Promise<NodeInfo> {
    const { view, extenders, random } = this.options;
    const [only] = feasible;
    if (only && feasible.length === 1) return only;
    const totals = await this.#timer.time('Score', name, () => totalScores(pod, feasible, view, scores));
    const more = await extenders?.scores(pod, feasible);
    return pickNode(feasible, more ? totals.map((total, at) => total + (more[at] ?? 0)) : totals, random);
  }

  /** The pod can be on no node, whatever is on it. */
  #unschedulable(pod: PodInfo, rejection: Rejection, { preemption }: Profile): Unschedulable {
    const message = notSchedulable(this.options.view.nodes.length, rejection);
    const rejectedBy = new Set([rejection.plugin]);
    if (!preemption) return { message, rejectedBy, keepsNomination: true };
    this.options.observer.preemptionTried();
    const { reason, keepsNomination } = this.#preemption.unhelpful(pod, rejection);
    return { message: withPreemption(message, reason), rejectedBy, keepsNomination };
  }

  async #preempt(
    evaluation: FilterEvaluation,
    rejections: ReadonlyMap<NodeInfo, Rejection>,
    { name, preemption }: Profile,
  ): Promise<Unschedulable> {
    const message = notFitting(this.options.view.nodes.length, rejections.values());
    const rejectedBy = new Set([...rejections.values()].map(({ plugin }) => plugin));
    if (!preemption) return { message, rejectedBy, keepsNomination: true };
    this.options.observer.preemptionTried();
    const outcome = await this.#timer.time(
      'PostFilter',
      name,
      () => this.#preemption.find(evaluation, rejections, preemption),
      (result) => ('candidate' in result ? 'Success' : 'Unschedulable'),
    );
    if ('candidate' in outcome) return { message, rejectedBy, candidate: outcome.candidate, keepsNomination: false };
    return { message: withPreemption(message, outcome.reason), rejectedBy, keepsNomination: outcome.keepsNomination };
  }
}

const statusOf = ({ isResolvable }: Rejection): PluginStatus =>
  isResolvable ? 'Unschedulable' : 'UnschedulableAndUnresolvable';

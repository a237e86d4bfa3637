import { MAX_SCORE, type NodeInfo, type PodInfo, type Rejection } from '@orch/scheduler-plugins';
import type { ExtenderConfiguration } from '../configuration/configuration.js';
import type { Candidate } from '../preemption/candidates.js';
import { Extender, type ExtenderFilterResult } from './extender.js';
import type { ExtenderCall } from './extender-call.js';

/** The name under which extenders reject pods; any change may help such a pod. */
const NAME = 'Extender';
/** The highest score of an extender. */
const HIGHEST_SCORE = 10;

/** Settings of {@link Extenders}. */
interface ExtendersOptions {
  /** Their configurations. */
  readonly configurations: readonly ExtenderConfiguration[];
  /** Makes the connection to an extender. */
  readonly callOf: (configuration: ExtenderConfiguration) => ExtenderCall;
  /** Called with failures that do not keep the pod from being scheduled. */
  readonly onError: (extender: string, error: unknown) => void;
}

/** All extenders, one after the other: those whose failures count come first. */
export class Extenders {
  readonly #extenders: readonly Extender[];
  readonly #onError: ExtendersOptions['onError'];

  constructor({ configurations, callOf, onError }: ExtendersOptions) {
    const extenders = configurations.map((configuration) => new Extender(configuration, callOf(configuration)));
    const isRequired = ({ isIgnorable }: Extender) => !isIgnorable;
    this.#extenders = [...extenders.filter(isRequired), ...extenders.filter(({ isIgnorable }) => isIgnorable)];
    this.#onError = onError;
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#extenders.length === 0;
  }

  /**
   * Returns the nodes that all extenders let a pod be on.
   * @param rejections to which their reasons are added
   * @throws Error of an extender that is not ignorable
   */
  async filter(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    rejections: Map<NodeInfo, Rejection>,
  ): Promise<readonly NodeInfo[]> {
    let feasible = nodes;
    for (const extender of this.#interestedIn(pod)) {
      if (feasible.length === 0) break;
      const result = await this.#attempt(extender, () => extender.filter(pod, feasible));
      if (!result) continue;
      addRejections(feasible, result, rejections);
      feasible = result.nodes;
    }
    return feasible;
  }

  /** Returns the weighed sum of the scores of each node, in their order; undefined where none are given. */
  async scores(pod: PodInfo, nodes: readonly NodeInfo[]): Promise<readonly number[] | undefined> {
    const scoring = this.#interestedIn(pod).filter(({ weight }) => weight > 0);
    if (scoring.length === 0) return undefined;
    const totals = nodes.map(() => 0);
    const results = await Promise.all(scoring.map((extender) => this.#scoresOf(extender, pod, nodes)));
    for (const [i, { weight }] of scoring.entries()) {
      const factor = weight * (MAX_SCORE / HIGHEST_SCORE);
      for (const [at, { name }] of nodes.entries())
        totals[at] = (totals[at] ?? 0) + factor * (results[i]?.get(name) ?? 0);
    }
    return totals;
  }

  /** Has a pod bound by the extender that binds, if there is one for the pod. Returns whether there is. @throws Error */
  async bind(pod: PodInfo, node: string): Promise<boolean> {
    const binder = this.#interestedIn(pod).find(({ isBinder }) => isBinder);
    await binder?.bind(pod, node);
    return binder !== undefined;
  }

  /**
   * Returns the candidates of a preemption that all extenders let stand.
   * @param nodeOf finds a node by name
   * @throws Error of an extender that is not ignorable
   */
  async preempt(
    pod: PodInfo,
    candidates: readonly Candidate[],
    nodeOf: (name: string) => NodeInfo | undefined,
  ): Promise<readonly Candidate[]> {
    let standing = candidates;
    for (const extender of this.#interestedIn(pod).filter(({ supportsPreemption }) => supportsPreemption)) {
      if (standing.length === 0) break;
      const result = await this.#attempt(extender, () => extender.preempt(pod, standing, nodeOf));
      if (result) standing = withVictims(result, extender);
    }
    return standing;
  }

  #interestedIn(pod: PodInfo): readonly Extender[] {
    return this.#extenders.filter((extender) => extender.isInterested(pod));
  }

  /** Scores are a preference: without those of an extender that fails, the others decide. */
  async #scoresOf(extender: Extender, pod: PodInfo, nodes: readonly NodeInfo[]) {
    try {
      return await extender.prioritize(pod, nodes);
    } catch (error) {
      this.#onError(extender.name, error);
      return undefined;
    }
  }

  async #attempt<T>(extender: Extender, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      this.#onError(extender.name, error);
      return undefined;
    }
  }
}

function addRejections(
  nodes: readonly NodeInfo[],
  { failed, unresolvable }: ExtenderFilterResult,
  rejections: Map<NodeInfo, Rejection>,
): void {
  for (const node of nodes) {
    const reason = unresolvable.get(node.name) ?? failed.get(node.name);
    if (reason === undefined) continue;
    const before = rejections.get(node);
    const isResolvable = !unresolvable.has(node.name) && (before?.isResolvable ?? true);
    const reasons = [...(before?.reasons ?? []), reason];
    rejections.set(node, { plugin: before?.plugin ?? NAME, reasons, isResolvable });
  }
}

/** A node without victims is one on which the pod would fit already: that cannot be. */
function withVictims(candidates: readonly Candidate[], { isIgnorable }: Extender): readonly Candidate[] {
  return candidates.filter(({ node, victims }) => {
    if (victims.length === 0 && !isIgnorable) throw new Error(`expected at least one victim pod on node "${node}"`);
    return victims.length > 0;
  });
}

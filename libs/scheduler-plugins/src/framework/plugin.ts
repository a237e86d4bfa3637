import type { ClusterEvent } from './cluster-event.js';
import type { ClusterView } from './cluster-view.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';

/** Why a pod cannot be on a node, or cannot be scheduled at all. */
export interface Rejection {
  /** Name of the plugin. */
  readonly plugin: string;
  /** In the words of the reference, each counted by itself over the nodes. */
  readonly reasons: readonly string[];
  /** Whether the removal of other pods could change it (`Unschedulable`, not `UnschedulableAndUnresolvable`). */
  readonly isResolvable: boolean;
}

/** A plugin of the scheduler: one object may have any of the parts. */
export interface Plugin {
  /** Name in the configuration, in metrics and in messages. */
  readonly name: string;
  /** Changes that can make a pod schedulable that the plugin has rejected. Default: all. */
  readonly events?: readonly ClusterEvent[];
}

/** Sorts the queue of pods that wait to be scheduled. */
export interface QueueSortPlugin extends Plugin {
  /** Negative where the first pod comes first. */
  compare(a: QueuedPod, b: QueuedPod): number;
}

/** A pod in the queue, as far as its order is concerned. */
export interface QueuedPod {
  /** The pod. */
  readonly info: PodInfo;
  /** When it was added to the queue this time: monotonic milliseconds. */
  readonly queuedAt: number;
}

/** Keeps pods out of the queue. */
export interface PreEnqueuePlugin extends Plugin {
  /** Returns why a pod may not be scheduled yet; undefined where it may. */
  preEnqueue(pod: PodInfo): Rejection | undefined;
}

/** Decides which nodes a pod can be on. */
export interface FilterPlugin extends Plugin {
  /**
   * Does what takes long for some pods ahead of {@link prepare} and of scores, in turns with other work; undefined for
   * other pods, absent where there is no such thing.
   */
  ahead?(pod: PodInfo, view: ClusterView): Promise<void> | undefined;
  /**
   * Prepares the evaluation of a pod; undefined where the plugin has nothing to say about it.
   * @throws Error where the plugin cannot judge; the pod is tried again
   */
  prepare(pod: PodInfo, view: ClusterView): PodFilter | Rejection | undefined;
}

/** FilterEvaluation of one pod by one plugin, from the state at the time it was prepared. */
export interface PodFilter {
  /** Names of the only nodes that can be chosen. Absent: any. */
  readonly candidates?: ReadonlySet<string>;
  /** Returns why the pod cannot be on a node; undefined where it can. */
  filter(node: NodeInfo): Rejection | undefined;
  /** Returns a copy that follows other pods being added and removed; absent where other nodes' pods do not matter. */
  fork?(): HypotheticalFilter;
  /** Reserves what the pod needs on a node that was chosen. */
  reserve?(node: NodeInfo): PluginReservation | undefined;
}

/** A {@link PodFilter} that follows hypothetical changes. */
export interface HypotheticalFilter {
  /** Returns why the pod cannot be on a node; undefined where it can. */
  filter(node: NodeInfo): Rejection | undefined;
  /** Returns a copy that follows further changes by itself. */
  fork(): HypotheticalFilter;
  /** A pod is added to a node. */
  addPod(pod: PodInfo, node: NodeInfo): void;
  /** A pod is removed from a node. */
  removePod(pod: PodInfo, node: NodeInfo): void;
}

/** A reservation of a plugin for a pod. */
export interface PluginReservation {
  /** Makes it real before the pod is bound. @throws Error, where the pod is to be tried again */
  preBind(signal: AbortSignal): Promise<void>;
  /** Gives it back, as the pod was not bound. */
  undo(): void;
}

/** Says which of several nodes is the best. */
export interface ScorePlugin extends Plugin {
  /**
   * Returns a score of 0 to 100 for each node, in their order; undefined where all are equal. @throws Error where the
   * plugin cannot judge; the pod is tried again
   */
  score(pod: PodInfo, nodes: readonly NodeInfo[], view: ClusterView): readonly number[] | undefined;
}

/** The highest score of a plugin. */
export const MAX_SCORE = 100;

/** Scales scores so that the highest becomes 100; `isReversed`: a high one is bad. Changes them in place. */
export function normalizeScores(scores: number[], isReversed: boolean): number[] {
  const highest = Math.max(0, ...scores);
  for (const [at, score] of scores.entries()) {
    const scaled = highest === 0 ? 0 : Math.floor((score * MAX_SCORE) / highest);
    scores[at] = isReversed ? MAX_SCORE - scaled : scaled;
  }
  return scores;
}

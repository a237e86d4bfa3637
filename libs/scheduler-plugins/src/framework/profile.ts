import { type ClusterEvent, meansEvent } from './cluster-event.js';
import type { FilterPlugin, Plugin, PreEnqueuePlugin, QueueSortPlugin, ScorePlugin } from './plugin.js';
import type { DefaultPreemptionArgs } from './plugin-args.js';

/** A score plugin and how much it counts. */
export interface WeighedScore {
  /** The plugin. */
  readonly plugin: ScorePlugin;
  /** Factor of its scores. */
  readonly weight: number;
}

/** The plugins by which pods of one scheduler name are scheduled. */
export interface Profile {
  /** `spec.schedulerName` of its pods. */
  readonly name: string;
  /** Order of the queue. */
  readonly queueSort: QueueSortPlugin;
  /** Plugins that keep pods out of the queue. */
  readonly preEnqueue: readonly PreEnqueuePlugin[];
  /** Plugins that reject nodes, in their order. */
  readonly filters: readonly FilterPlugin[];
  /** Plugins that score nodes. */
  readonly scores: readonly WeighedScore[];
  /** Absent where pods are not preempted. */
  readonly preemption?: DefaultPreemptionArgs;
  /** Percentage of nodes that are scored; 0 for one that falls with their number. */
  readonly percentageOfNodesToScore: number;
}

/** Returns whether a change can help a pod that a plugin of one of the profiles has rejected. */
export function helpfulEvents(profiles: Iterable<Profile>): (plugin: string, event: ClusterEvent) => boolean {
  const events = new Map<string, readonly ClusterEvent[] | undefined>();
  for (const { preEnqueue, filters, scores } of profiles) {
    const plugins: Plugin[] = [...preEnqueue, ...filters, ...scores.map(({ plugin }) => plugin)];
    for (const plugin of plugins) if (plugin.events || !events.has(plugin.name)) events.set(plugin.name, plugin.events);
  }
  // One that names no events, or is unknown (an extender), may be helped by any.
  return (plugin, event) => events.get(plugin)?.some((meant) => meansEvent(meant, event)) ?? true;
}

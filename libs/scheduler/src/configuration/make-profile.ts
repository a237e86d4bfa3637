import {
  type AnyPlugin,
  type ExtensionPoint,
  type FilterPlugin,
  makePlugin,
  type PluginHost,
  type PreEnqueuePlugin,
  type Profile,
  type QueueSortPlugin,
  type ScorePlugin,
} from '@orch/scheduler-plugins';
import type { SchedulerProfile } from './configuration.js';

/**
 * Makes the plugins of a configured profile. @param percentageOfNodesToScore of the whole configuration, where the
 * profile has none of its own
 */
export function makeProfile(configured: SchedulerProfile, percentageOfNodesToScore: number, host: PluginHost): Profile {
  const { plugins, args } = configured;
  const made = new Map<string, AnyPlugin | undefined>();
  const plugin = (name: string): AnyPlugin | undefined => {
    if (!made.has(name)) made.set(name, makePlugin(name, args, host));
    return made.get(name);
  };
  const at = (point: ExtensionPoint) => plugins[point].flatMap(({ name }) => plugin(name) ?? []);
  const [queueSort] = at('queueSort').filter(sorts);
  if (!queueSort) throw new Error(`nothing sorts the queue of ${configured.schedulerName}`);
  return {
    name: configured.schedulerName,
    queueSort,
    preEnqueue: at('preEnqueue').filter(gates),
    filters: at('filter').filter(filters),
    scores: plugins.score.flatMap(({ name, weight }) => {
      const scoring = plugin(name);
      return scoring && scores(scoring) ? [{ plugin: scoring, weight }] : [];
    }),
    ...(plugins.postFilter.length > 0 && { preemption: args.DefaultPreemption }),
    percentageOfNodesToScore: configured.percentageOfNodesToScore ?? percentageOfNodesToScore,
  };
}

const sorts = (plugin: AnyPlugin): plugin is QueueSortPlugin => plugin.compare !== undefined;
const gates = (plugin: AnyPlugin): plugin is PreEnqueuePlugin => plugin.preEnqueue !== undefined;
const filters = (plugin: AnyPlugin): plugin is FilterPlugin => plugin.prepare !== undefined;
const scores = (plugin: AnyPlugin): plugin is ScorePlugin => plugin.score !== undefined;

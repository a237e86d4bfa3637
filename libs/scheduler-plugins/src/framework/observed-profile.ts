import type { Clock } from '@orch/runtime';
import type { FilterPlugin, HypotheticalFilter, PodFilter, Rejection, ScorePlugin } from './plugin.js';
import type { Profile } from './profile.js';

/** Result of one run of a plugin, as metrics name it. */
export type PluginStatus = 'Success' | 'Skip' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Error';

/** Settings of {@link observedProfile}. */
interface PluginObservation {
  /** Called after each run that is measured. */
  readonly ran: (plugin: string, point: string, status: PluginStatus, seconds: number) => void;
  /** Measures the runs. */
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Share of the pods for which runs are measured: for all of them, the measuring would be felt. */
const SAMPLED = 0.1;

const statusOf = (rejection: Rejection | undefined): PluginStatus =>
  rejection === undefined ? 'Success' : rejection.isResolvable ? 'Unschedulable' : 'UnschedulableAndUnresolvable';

/** Returns a profile whose plugins are measured for some of the pods. */
export function observedProfile(profile: Profile, observation: PluginObservation): Profile {
  const runsOf = ({ name }: { readonly name: string }) => new PluginRuns(name, observation);
  return {
    ...profile,
    filters: profile.filters.map((plugin) => ({ ...plugin, prepare: observedPrepare(plugin, runsOf(plugin)) })),
    scores: profile.scores.map(({ plugin, weight }) => ({
      plugin: { ...plugin, score: observedScore(plugin, runsOf(plugin)) },
      weight,
    })),
  };
}

/** Measures the runs of one plugin. */
class PluginRuns {
  constructor(
    private readonly plugin: string,
    private readonly observation: PluginObservation,
  ) {}

  get isSampled(): boolean {
    return this.observation.random() < SAMPLED;
  }

  measure<T>(point: string, work: () => T, status: (result: T) => PluginStatus): T {
    const { clock, ran } = this.observation;
    const begun = clock.now();
    let outcome: PluginStatus = 'Error';
    try {
      const result = work();
      outcome = status(result);
      return result;
    } finally {
      ran(this.plugin, point, outcome, (clock.now() - begun) / 1_000);
    }
  }
}

function observedPrepare(plugin: FilterPlugin, runs: PluginRuns): FilterPlugin['prepare'] {
  return (pod, view) => {
    if (!runs.isSampled) return plugin.prepare(pod, view);
    const prepared = runs.measure(
      'PreFilter',
      () => plugin.prepare(pod, view),
      (result) => (result === undefined ? 'Skip' : 'reasons' in result ? statusOf(result) : 'Success'),
    );
    return prepared === undefined || 'reasons' in prepared ? prepared : observedFilter(prepared, runs);
  };
}

function observedFilter(inner: PodFilter, runs: PluginRuns): PodFilter {
  const { candidates } = inner;
  return {
    ...(candidates && { candidates }),
    filter: (node) => runs.measure('Filter', () => inner.filter(node), statusOf),
    // Hypothetical changes are tried many times over: they are not measured.
    ...(inner.fork && { fork: () => inner.fork?.() as HypotheticalFilter }),
    ...(inner.reserve && {
      reserve: (node) =>
        runs.measure(
          'Reserve',
          () => inner.reserve?.(node),
          () => 'Success',
        ),
    }),
  };
}

function observedScore(plugin: ScorePlugin, runs: PluginRuns): ScorePlugin['score'] {
  return (pod, nodes, view) => {
    if (!runs.isSampled) return plugin.score(pod, nodes, view);
    return runs.measure(
      'Score',
      () => plugin.score(pod, nodes, view),
      (scores) => (scores === undefined ? 'Skip' : 'Success'),
    );
  };
}

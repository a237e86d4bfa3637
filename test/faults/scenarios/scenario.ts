import { Random } from '../random.js';
import { type RunResult, type RunSettings, run } from '../run.js';
import { Stage } from '../stage/stage.js';
import { type ClusterUse, withCluster } from '../stage/with-cluster.js';
import type { Rule } from '../validators/violation.js';

export interface ScenarioSettings {
  readonly seed: number;
  /** 1 is the size of the table in README.md; less makes times shorter and numbers smaller. */
  readonly scale: number;
  readonly log: (line: string) => void;
  /** The rule that a negative control has to break: nothing is kept of a run that did. */
  readonly expected?: Rule;
}

export type ScenarioResult = Pick<RunResult, 'violations' | 'measures'> & { readonly counts?: RunResult['counts'] };

/** A row of the table, or a part of one. */
export interface Scenario {
  readonly name: string;
  readonly fault: string;
  /** Condition that must hold afterwards. */
  readonly pass: string;
  /** For a negative control: the rule that must be violated. The run passes if it is. */
  readonly caughtBy?: Rule;
  run(settings: ScenarioSettings): Promise<ScenarioResult>;
}

/** A number of the table, scaled, but no less than makes sense. */
export const scaled = ({ scale }: ScenarioSettings, full: number, least: number): number =>
  Math.max(least, Math.round(full * scale));

/** A scenario under the traffic of the torture, judged by all validators. */
export function tortured(
  about: Omit<Scenario, 'run'>,
  settingsFor: (
    settings: ScenarioSettings,
  ) => Omit<RunSettings, 'seed' | 'log' | 'seconds' | 'watchers' | 'writers'> &
    Partial<Pick<RunSettings, 'seconds' | 'watchers' | 'writers'>>,
): Scenario {
  return {
    ...about,
    run: (settings) => {
      const { seed, log, expected } = settings;
      const defaults = { seconds: 0, watchers: scaled(settings, 200, 32), writers: 4 };
      return run({ ...defaults, ...settingsFor(settings), seed, log, expected });
    },
  };
}

/** A scenario that brings its own load. */
export function staged(
  about: Omit<Scenario, 'run'>,
  cluster: Omit<ClusterUse, 'log'> | ((settings: ScenarioSettings) => Promise<Omit<ClusterUse, 'log'>>),
  act: (stage: Stage, settings: ScenarioSettings) => Promise<void>,
): Scenario {
  return {
    ...about,
    run: async (settings) => {
      const { seed, log, expected } = settings;
      const use = typeof cluster === 'function' ? await cluster(settings) : cluster;
      return withCluster({ log, ...use }, async (premises) => {
        const never = new AbortController();
        const random = new Random(seed);
        const stage = new Stage({ ...premises, random, log, over: never.signal, signal: never.signal });
        try {
          await act(stage, settings);
        } finally {
          never.abort();
          stage.close();
        }
        const { violations, measures } = stage;
        return { violations, measures, clean: violations.every(({ rule }) => rule === expected) };
      });
    },
  };
}

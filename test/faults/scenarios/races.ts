import type { Mutation } from '../stage/mutant.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { type ScenarioSettings, scaled } from './scenario.js';

/** Races of one run: a server takes longer to start than a small race does. */
const RACES = 4;
/** Milliseconds between two kills, and the least: a small race is over soon, and is to see one. */
const CALM_MS = { from: [500, 20], to: [3_000, 300] } as const;

/** How a system differs from the one that it should be. */
export interface Broken {
  readonly mutations?: readonly Mutation[];
  /** Breaks the database, once the cluster runs. */
  readonly sabotage?: (url: string) => Promise<void>;
  /** Whether no server is killed: where that does not make the defect show, it would only blur which check has caught it. */
  readonly calm?: boolean;
}

/** Creates the cluster that races run on. */
export const clusterFor =
  ({ mutations = [] }: Broken) =>
  async (settings: ScenarioSettings) => ({ apiServers: scaled(settings, 4, 2), gateways: 0, mutations });

/** Runs races one after another, each in a namespace of its own, and tells how much was tried in all. */
export async function inRaces(
  stage: Stage,
  { seed, expected }: ScenarioSettings,
  race: (namespace: string) => Promise<{ readonly attempts: number; readonly unanswered: number }>,
): Promise<void> {
  const sum = { attempts: 0, unanswered: 0 };
  for (let number = 1; number <= RACES; number++) {
    const { attempts, unanswered } = await race(`race-${seed}-${number}`);
    sum.attempts += attempts;
    sum.unanswered += unanswered;
    // A negative control has shown what it is for.
    if (expected !== undefined && stage.violations.length > 0) break;
  }
  stage.measure('attempts', sum.attempts);
  stage.measure('attempts without an answer', sum.unanswered);
}

/** Kills one server after another and starts it again, until a race is over. */
export const killOneByOne =
  (stage: Stage, settings: ScenarioSettings, { calm = false }: Broken) =>
  async (over: AbortSignal) => {
    const [from, to] = [scaled(settings, ...CALM_MS.from), scaled(settings, ...CALM_MS.to)];
    while (!calm && !over.aborted) {
      await rest(stage.random.between(from, to), over);
      const victim = stage.random.pick(stage.cluster.apiServers);
      await victim.kill('SIGKILL');
      await victim.start();
    }
  };

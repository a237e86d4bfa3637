import pg from 'pg';
import { RESOURCES, raceForQuota } from '../../support/quota-race.js';
import { CHARGED_APART, KEEP_CHARGES } from '../defects.js';
import type { Mutation } from '../stage/mutant.js';
import { redefine, replaced } from '../stage/redefine.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

/** Milliseconds between two kills. */
const CALM_MS = { from: 500, to: 3_000 };

/** Every server in turn is killed and started again, while others and itself are asked for objects. */
export const quotaRace = raced({
  name: 'quota-race',
  fault:
    'four api-servers are killed one after another while 64 requesters of each create and delete objects under a quota of 500 of each of two kinds',
  pass: 'there are exactly as many objects as the quota allows; what each version of the quota says is used is what there was',
});

/** The negative controls. */
export const quotaApart = control('apart', 'a charge is committed before what it is for', { mutations: CHARGED_APART });
export const quotaUnlocked = control('unlocked', 'what is used is read before the lane of quotas is held', {
  sabotage: (url) => redefine(url, 'commit_charged', readFirst),
  calm: true,
});
export const quotaKept = control('kept', 'what is deleted gives nothing back', {
  mutations: KEEP_CHARGES,
  calm: true,
});

/** How a system differs from the one that it should be. */
export interface Broken {
  readonly mutations?: readonly Mutation[];
  /** Breaks the database, once the cluster runs. */
  readonly sabotage?: (url: string) => Promise<void>;
  /** Whether no server is killed: where that does not make the defect show, it would only blur which check has caught it. */
  readonly calm?: boolean;
}

function control(name: string, defect: string, broken: Broken): Scenario {
  const about = { fault: `the same where ${defect}: the negative control`, pass: 'R.quota says so' };
  return controlled(raced({ name: `quota-${name}`, ...about }, broken), 'R.quota');
}

function raced(about: Omit<Scenario, 'run'>, { mutations = [], sabotage, calm = false }: Broken = {}): Scenario {
  return staged(about, clusterFor(mutations), async (stage, settings) => {
    await sabotage?.(stage.postgresUrl);
    const database = new pg.Client(stage.postgresUrl);
    await database.connect();
    const limit = scaled(settings, 500, 20);
    const { objects, versions, attempts } = await raceForQuota({
      servers: stage.cluster.apiServerUrls.map((url) => stage.api(url)),
      ...{ database, namespace: `race-${settings.seed}`, limit, requesters: scaled(settings, 64, 4) },
      random: () => stage.random.next(),
      disturb: calm ? async () => undefined : killOneByOne(stage),
    }).finally(() => database.end());
    stage.measure('attempts', attempts);
    stage.measure('versions of the quota', versions.length / RESOURCES.length);
    const last = versions.slice(-RESOURCES.length);
    for (const { resource, used } of last) {
      const there = objects[resource];
      stage.must('R.quota', there === limit, `there are ${there} ${resource} where ${limit} may be`);
      stage.must('R.quota', used === limit, `in the end ${used} ${resource} are said to be used`);
    }
    for (const { version, resource, used, there } of versions)
      stage.must(
        'R.quota',
        used === there,
        `at ${version} ${used} ${resource} are said to be used, ${there} are there`,
      );
  });
}

/** What a race runs on. */
export function clusterFor(mutations: readonly Mutation[]) {
  return async (settings: ScenarioSettings) => ({ apiServers: scaled(settings, 4, 2), gateways: 0, mutations });
}

/** What is used is read before the lanes are held: others may charge it until then. */
function readFirst(definition: string): string {
  const [reading = 'what is used'] =
    /\n {2}IF charges > 0 THEN\n {4}SELECT array_agg[\s\S]*?\n {2}END IF;/.exec(definition) ?? [];
  return replaced(replaced(definition, reading, ''), '\nBEGIN\n', `\nBEGIN${reading}\n`);
}

/** Kills one server after another and starts it again, until the race is over. */
export const killOneByOne = (stage: Stage) => async (over: AbortSignal) => {
  while (!over.aborted) {
    await rest(stage.random.between(CALM_MS.from, CALM_MS.to), over);
    const victim = stage.random.pick(stage.cluster.apiServers);
    await victim.kill('SIGKILL');
    await victim.start();
  }
};

import pg from 'pg';
import { type QuotaRaceResult, RESOURCES, raceForQuota } from '../../support/quota-race.js';
import { CHARGED_APART, KEEP_CHARGES } from '../defects.js';
import { redefine, replaced } from '../stage/redefine.js';
import type { Stage } from '../stage/stage.js';
import { controlled } from './controlled.js';
import { type Broken, clusterFor, inRaces, killOneByOne } from './races.js';
import { type Scenario, scaled, staged } from './scenario.js';

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

function control(name: string, defect: string, broken: Broken): Scenario {
  const about = { fault: `the same where ${defect}: the negative control`, pass: 'R.quota says so' };
  return controlled(raced({ name: `quota-${name}`, ...about }, broken), 'R.quota');
}

function raced(about: Omit<Scenario, 'run'>, broken: Broken = {}): Scenario {
  return staged(about, clusterFor(broken), async (stage, settings) => {
    await broken.sabotage?.(stage.postgresUrl);
    const database = new pg.Client(stage.postgresUrl);
    await database.connect();
    const limit = scaled(settings, 500, 75);
    const race = async (namespace: string) => {
      const result = await raceForQuota({
        servers: stage.cluster.apiServerUrls.map((url) => stage.api(url)),
        ...{ database, namespace, limit, requesters: scaled(settings, 64, 4) },
        random: () => stage.random.next(),
        disturb: killOneByOne(stage, settings, broken),
      });
      judge(stage, result, limit);
      return result;
    };
    await inRaces(stage, settings, race).finally(() => database.end());
  });
}

function judge(stage: Stage, { objects, versions }: QuotaRaceResult, limit: number): void {
  stage.measure('versions of a quota', versions.length / RESOURCES.length);
  for (const { resource, used } of versions.slice(-RESOURCES.length)) {
    const there = objects[resource];
    stage.must('R.quota', there === limit, `there are ${there} ${resource} where ${limit} may be`);
    stage.must('R.quota', used === limit, `in the end ${used} ${resource} are said to be used`);
  }
  for (const { version, resource, used, there } of versions)
    stage.must('R.quota', used === there, `at ${version} ${used} ${resource} are said to be used, ${there} are there`);
}

/** Mutates the function: it reads the usage before the lanes are locked, so that others may charge it until then. */
function readFirst(definition: string): string {
  const [reading = 'what is used'] =
    /\n {2}IF charges > 0 THEN\n {4}SELECT array_agg[\s\S]*?\n {2}END IF;/.exec(definition) ?? [];
  return replaced(replaced(definition, reading, ''), '\nBEGIN\n', `\nBEGIN${reading}\n`);
}

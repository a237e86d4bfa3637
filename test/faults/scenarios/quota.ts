import pg from 'pg';
import { raceForQuota } from '../../support/quota-race.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged } from './scenario.js';

const SERVERS = 4;
/** Milliseconds between two kills. */
const CALM_MS = { from: 500, to: 3_000 };

/** Every server in turn is killed and started again, while others and itself are asked for objects. */
export const quotaRace = staged(
  {
    name: 'quota-race',
    fault:
      'four api-servers are killed one after another while 64 requesters of each create objects under a quota of 1,000',
    pass: 'there are exactly as many objects as the quota allows; what each version of the quota says is used is what there was',
  },
  { apiServers: SERVERS, gateways: 0 },
  async (stage, settings) => {
    const database = new pg.Client(stage.postgresUrl);
    await database.connect();
    const limit = scaled(settings, 1_000, 40);
    const { objects, versions, attempts } = await raceForQuota({
      servers: stage.cluster.apiServerUrls.map((url) => stage.api(url)),
      ...{ database, namespace: `race-${settings.seed}`, limit, requesters: scaled(settings, 64, 4) },
      random: () => stage.random.next(),
      disturb: killOneByOne(stage),
    }).finally(() => database.end());
    stage.measure('attempts', attempts);
    stage.measure('versions of the quota', versions.length);
    stage.must('R.quota', objects === limit, `there are ${objects} objects where ${limit} may be`);
    for (const { version, used, there } of versions)
      stage.must('R.quota', used === there, `at ${version} ${used} are said to be used and ${there} are there`);
    stage.must('R.quota', versions.at(-1)?.used === limit, 'the last version of the quota is not used up');
  },
);

/** Kills one server after another and starts it again, until the race is over. */
export const killOneByOne = (stage: Stage) => async (over: AbortSignal) => {
  while (!over.aborted) {
    await rest(stage.random.between(CALM_MS.from, CALM_MS.to), over);
    const victim = stage.random.pick(stage.cluster.apiServers);
    await victim.kill('SIGKILL');
    await victim.start();
  }
};

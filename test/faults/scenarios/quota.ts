import pg from 'pg';
import { raceForQuota } from '../../support/quota-race.js';
import { inRaces, killOneByOne, RACED_SERVERS } from './races.js';
import { scaled, staged } from './scenario.js';

/** Every server in turn is killed and started again, while others and itself are asked for objects. */
export const quotaRace = staged(
  {
    name: 'quota-race',
    fault:
      'four api-servers are killed one after another while 64 requesters of each create objects under a quota of 1,000',
    pass: 'there are exactly as many objects as the quota allows; what each version of the quota says is used is what there was',
  },
  { apiServers: RACED_SERVERS, gateways: 0 },
  async (stage, settings) => {
    const database = new pg.Client(stage.postgresUrl);
    await database.connect();
    const limit = scaled(settings, 1_000, 150);
    const race = async (namespace: string) => {
      const result = await raceForQuota({
        servers: stage.cluster.apiServerUrls.map((url) => stage.api(url)),
        ...{ database, namespace, limit, requesters: scaled(settings, 64, 4) },
        random: () => stage.random.next(),
        disturb: killOneByOne(stage, settings),
      });
      const { objects, versions } = result;
      stage.measure('versions of a quota', versions.length);
      stage.must('R.quota', objects === limit, `there are ${objects} objects where ${limit} may be`);
      for (const { version, used, there } of versions)
        stage.must('R.quota', used === there, `at ${version} ${used} are said to be used and ${there} are there`);
      stage.must('R.quota', versions.at(-1)?.used === limit, 'the last version of the quota is not used up');
      return result;
    };
    await inRaces(stage, settings, race).finally(() => database.end());
  },
);

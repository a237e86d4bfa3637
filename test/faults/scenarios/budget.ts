import pg from 'pg';
import { raceForBudget } from '../../support/budget-race.js';
import { inRaces, killOneByOne, RACED_SERVERS } from './races.js';
import { scaled, staged } from './scenario.js';

/** As {@link quotaRace}, of what may go in the place of what may come. */
export const budgetRace = staged(
  {
    name: 'budget-race',
    fault:
      'four api-servers are killed one after another while 64 requesters of each evict 3,000 pods, of which a budget lets 1,000 go',
    pass: 'as many pods are gone as the budget allowed; whatever took from the budget removed its pod in the same commit',
  },
  { apiServers: RACED_SERVERS, gateways: 0 },
  async (stage, settings) => {
    const database = new pg.Client(stage.postgresUrl);
    await database.connect();
    const allowed = scaled(settings, 1_000, 40);
    const race = async (namespace: string) => {
      const result = await raceForBudget({
        servers: stage.cluster.apiServerUrls.map((url) => stage.api(url)),
        ...{ database, namespace, allowed, requesters: scaled(settings, 64, 4) },
        disturb: killOneByOne(stage, settings),
      });
      const { gone, disrupted, charges } = result;
      stage.must('R.quota', gone.length === allowed, `${gone.length} pods are gone where ${allowed} may`);
      const told = disrupted.toSorted().join() === gone.toSorted().join();
      stage.must('R.quota', told, `the budget says that ${disrupted.length} were disrupted, not those that are gone`);
      for (const { taken, removed } of charges)
        stage.must('R.quota', taken === removed, `a commit took ${taken} from the budget and removed ${removed} pods`);
      return result;
    };
    await inRaces(stage, settings, race).finally(() => database.end());
  },
);

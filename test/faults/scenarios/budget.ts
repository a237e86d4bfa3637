import pg from 'pg';
import { type BudgetRaceResult, raceForBudget } from '../../support/budget-race.js';
import { EVICTED_APART } from '../defects.js';
import { redefine, replaced } from '../stage/redefine.js';
import type { Stage } from '../stage/stage.js';
import { controlled } from './controlled.js';
import { type Broken, clusterFor, inRaces, killOneByOne } from './races.js';
import { type Scenario, scaled, staged } from './scenario.js';

/** Like {@link quotaRace}, for evictions under a disruption budget instead of creations. */
export const budgetRace = raced({
  name: 'budget-race',
  fault:
    'four api-servers are killed one after another while 64 requesters of each evict 3,000 pods, of which a budget lets 1,000 go',
  pass: 'as many pods are gone as the budget allowed; whatever took from the budget removed its pod in the same commit',
});

/** The negative controls. */
export const budgetApart = control('apart', 'what an eviction takes is committed before it', {
  mutations: EVICTED_APART,
});
export const budgetUnlocked = control('unlocked', 'a budget is written whatever it has become since it was read', {
  sabotage: (url) => redefine(url, 'commit_charged', takeAnyBudget),
  calm: true,
});

function control(name: string, defect: string, broken: Broken): Scenario {
  const about = { fault: `the same where ${defect}: the negative control`, pass: 'R.quota says so' };
  return controlled(raced({ name: `budget-${name}`, ...about }, broken), 'R.quota');
}

function raced(about: Omit<Scenario, 'run'>, broken: Broken = {}): Scenario {
  return staged(about, clusterFor(broken), async (stage, settings) => {
    await broken.sabotage?.(stage.postgresUrl);
    const database = new pg.Client(stage.postgresUrl);
    await database.connect();
    const allowed = scaled(settings, 1_000, 40);
    const race = async (namespace: string) => {
      const result = await raceForBudget({
        servers: stage.cluster.apiServerUrls.map((url) => stage.api(url)),
        ...{ database, namespace, allowed, requesters: scaled(settings, 64, 4) },
        disturb: killOneByOne(stage, settings, broken),
      });
      judge(stage, result, allowed);
      return result;
    };
    await inRaces(stage, settings, race).finally(() => database.end());
  });
}

function judge(stage: Stage, { gone, disrupted, charges }: BudgetRaceResult, allowed: number): void {
  stage.must('R.quota', gone.length === allowed, `${gone.length} pods are gone where ${allowed} may`);
  const told = disrupted.toSorted().join() === gone.toSorted().join();
  stage.must('R.quota', told, `the budget says that ${disrupted.length} were disrupted, not those that are gone`);
  for (const { taken, removed } of charges)
    stage.must('R.quota', taken === removed, `a commit took ${taken} from the budget and removed ${removed} pods`);
}

const BUDGETS = `(SELECT id FROM lane WHERE resource = 'poddisruptionbudgets')`;

/** Mutates the function: it does not check that the budget is unchanged since the eviction read it. */
function takeAnyBudget(definition: string): string {
  const [looked, found] = ['u.action >= 3 AND o.version <> u.version', 'IF found_version = (CASE'];
  const blind = replaced(definition, looked, `${looked} AND p_types[u.lane] <> ${BUDGETS}`);
  return replaced(blind, found, `IF v_type = ${BUDGETS} OR found_version = (CASE`);
}

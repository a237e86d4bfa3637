import type pg from 'pg';
import type { Answer, Api, ApiObject } from './api.js';

export interface BudgetRace {
  /** Clients of each server; what is sent to one that is being killed fails. */
  readonly servers: readonly Api[];
  /** The database of the servers. */
  readonly database: pg.Client;
  readonly namespace: string;
  /** How many pods may go; there are three times as many. */
  readonly allowed: number;
  /** Requesters of each server. */
  readonly requesters: number;
  /** Kills servers and starts them again, until it is told that the race is over. */
  readonly disturb: (over: AbortSignal) => Promise<void>;
}

/** The result of the race. */
export interface BudgetRaceResult {
  /** Pods that are gone. */
  readonly gone: readonly string[];
  /** Pods that the budget says were disrupted. */
  readonly disrupted: readonly string[];
  /** Transactions that took from the budget, and how much each took and how many pods it removed. */
  readonly charges: readonly { readonly taken: number; readonly removed: number }[];
  readonly attempts: number;
  /** Attempts that a server did not answer. */
  readonly unanswered: number;
}

const LABELS = { app: 'raced' };
const TIMES_AS_MANY = 3;
/** Milliseconds before a request is sent again to a server that did not answer. */
const AGAIN_MS = 50;

/** Evicts pods, of which a budget lets only some go, from many requesters of several servers, while servers are killed. */
export async function raceForBudget(race: BudgetRace): Promise<BudgetRaceResult> {
  const { servers, namespace, allowed, requesters, disturb } = race;
  const names = Array.from({ length: allowed * TIMES_AS_MANY }, (_, i) => `p${i}`);
  await prepare(race, names);
  const over = new AbortController();
  const disturbing = disturb(over.signal);
  const waiting = [...names];
  let attempts = 0;
  let unanswered = 0;
  const requester = async (api: Api): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; ) {
      attempts++;
      const answer = await evict(api, namespace, name);
      if (!answer) unanswered++;
      if (answer && isFinal(answer)) name = waiting.shift();
      else await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  await Promise.all(servers.flatMap((api) => Array.from({ length: requesters }, () => requester(api))));
  over.abort();
  await disturbing;
  return { ...(await whatCameOfIt(race, names)), attempts, unanswered };
}

/** Whether an eviction was carried out, now or by a request whose answer was lost, or refused by the budget. */
function isFinal({ status, text }: Answer): boolean {
  return status === 201 || status === 404 || (status === 429 && text.includes('"DisruptionBudget"'));
}

function evict(api: Api, namespace: string, name: string): Promise<Answer | undefined> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  return api.post(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body).catch(() => undefined);
}

/** Pods that run, and a budget as its controller would leave it. */
async function prepare({ servers, namespace, allowed }: BudgetRace, names: readonly string[]): Promise<void> {
  const [api] = servers as [Api];
  const path = `/api/v1/namespaces/${namespace}`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  await succeeded(api.post('/api/v1/namespaces', { metadata: { name: namespace } }));
  await Promise.all(names.map((name) => runningPod(api, path, name)));
  const spec = { minAvailable: names.length - allowed, selector: { matchLabels: LABELS } };
  const budget = await succeeded(api.post(budgets, { metadata: { name: 'b' }, spec }));
  const status = {
    observedGeneration: budget.metadata?.generation,
    disruptionsAllowed: allowed,
    currentHealthy: names.length,
    desiredHealthy: names.length - allowed,
    expectedPods: names.length,
  };
  await succeeded(api.put(`${budgets}/b/status`, { ...budget, status }));
}

async function runningPod(api: Api, path: string, name: string): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 };
  await succeeded(api.post(`${path}/pods`, { metadata: { name, labels: LABELS }, spec }));
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await succeeded(api.patch(`${path}/pods/${name}/status`, 'merge', { status }));
}

async function succeeded(answer: Promise<Answer>): Promise<ApiObject> {
  const given = await answer;
  if (given.status >= 300) throw new Error(`${given.status} ${given.text}`);
  return given.json<ApiObject>();
}

const TYPE = (resource: string) => `(SELECT id FROM cluster.lane WHERE resource = '${resource}')`;
/** The first two versions of the budget are those with which it was made ready. */
const CHARGES = `
WITH said AS (
  SELECT xmin::text AS transaction, type, action, row_number() OVER (PARTITION BY type ORDER BY version) AS number
    FROM cluster.change WHERE namespace = $1 AND type IN (${TYPE('pods')}, ${TYPE('poddisruptionbudgets')}))
SELECT count(*) FILTER (WHERE type = ${TYPE('poddisruptionbudgets')} AND number > 2)::int AS taken,
       count(*) FILTER (WHERE type = ${TYPE('pods')} AND action = 5)::int AS removed
  FROM said GROUP BY transaction`;

async function whatCameOfIt({ servers, database, namespace }: BudgetRace, names: readonly string[]) {
  const [api] = servers as [Api];
  const { rows } = await database.query(CHARGES, [namespace]);
  const { items } = (await api.get(`/api/v1/namespaces/${namespace}/pods`)).json<{ items: ApiObject[] }>();
  const there = new Set(items.map(({ metadata }) => metadata?.name));
  const budget = (await api.get(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/b`)).json<ApiObject>();
  return {
    gone: names.filter((name) => !there.has(name)),
    disrupted: Object.keys(budget.status?.disruptedPods ?? {}),
    charges: rows,
  };
}

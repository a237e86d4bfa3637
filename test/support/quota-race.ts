import type pg from 'pg';
import { waitUntil } from '../../tools/up/index.js';
import type { Answer, Api, ApiObject } from './api.js';

export interface QuotaRace {
  /** Clients of each server; what is sent to one that is being killed fails. */
  readonly servers: readonly Api[];
  /** The database of the servers. */
  readonly database: pg.Client;
  readonly namespace: string;
  /** How many objects there may be. */
  readonly limit: number;
  /** Requesters of each server. */
  readonly requesters: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Kills servers and starts them again, until it is told that the race is over. */
  readonly disturb: (over: AbortSignal) => Promise<void>;
}

/** What came of it. */
export interface QuotaRaceResult {
  /** Objects that there are in the end. */
  readonly objects: number;
  /** Versions of the quota, each with what it says is used and what there was. */
  readonly versions: readonly { readonly version: string; readonly used: number; readonly there: number }[];
  readonly attempts: number;
  /** Attempts that a server did not answer. */
  readonly unanswered: number;
}

const START_MS = 60_000;
/** Share of the objects that are deleted again, as long as all requesters create. */
const DELETED = 0.2;

/** Creates as many objects as a quota allows, from many requesters of several servers, while servers are killed. */
export async function raceForQuota(race: QuotaRace): Promise<QuotaRaceResult> {
  const { servers, namespace, limit, requesters } = race;
  const path = `/api/v1/namespaces/${namespace}`;
  const [first] = servers as [Api];
  await made(first.post('/api/v1/namespaces', { metadata: { name: namespace } }));
  const quota = { metadata: { name: 'q' }, spec: { hard: { configmaps: String(limit) } } };
  await made(first.post(`${path}/resourcequotas`, quota));
  await waitUntil('the quota is counted', START_MS, async () => {
    const { status } = (await first.get(`${path}/resourcequotas/q`)).json<ApiObject>();
    return status?.used?.configmaps === '0';
  });
  const over = new AbortController();
  const disturbing = race.disturb(over.signal);
  let attempts = 0;
  let unanswered = 0;
  const requester = async (api: Api, id: string): Promise<void> => {
    // The last of them creates only, until there is no more.
    for (let i = 0, deletes = 1; ; i++) {
      attempts++;
      const answer = await api.post(`${path}/configmaps`, { metadata: { name: `${id}-${i}` } }).catch(() => undefined);
      if (!answer) unanswered++;
      if (answer?.status === 403 && answer.text.includes('exceeded quota')) {
        if (deletes-- <= 0) return;
      } else if (answer?.status === 201) {
        if (deletes > 0 && race.random() < DELETED)
          await api.delete(`${path}/configmaps/${id}-${i}`).catch(() => undefined);
      } else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const all = servers.flatMap((api, at) => Array.from({ length: requesters }, (_, i) => requester(api, `r${at}-${i}`)));
  await Promise.all(all);
  over.abort();
  await disturbing;
  // Who had given up may have left room behind it: what was deleted late.
  await requester(first, 'last');
  return { ...(await whatThereWas(race)), attempts, unanswered };
}

async function made(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 201) throw new Error(`${status} ${text}`);
}

const VERSIONS = `
SELECT q.version, convert_from(q.body, 'UTF8')::jsonb -> 'status' -> 'used' ->> 'configmaps' AS used,
       (SELECT coalesce(sum(CASE c.action WHEN 5 THEN -1 WHEN 3 THEN 0 ELSE 1 END), 0) FROM cluster.change c
         WHERE c.type = (SELECT id FROM cluster.lane WHERE api_group = '' AND resource = 'configmaps')
           AND c.namespace = $1 AND c.version < q.version)::int AS there
  FROM cluster.change q
 WHERE q.type = (SELECT id FROM cluster.lane WHERE api_group = '' AND resource = 'resourcequotas') AND q.namespace = $1
   AND q.action = 3 ORDER BY q.version`;
const OBJECTS = `
SELECT count(*)::int AS objects FROM cluster.object
 WHERE type = (SELECT id FROM cluster.lane WHERE api_group = '' AND resource = 'configmaps') AND namespace = $1`;

async function whatThereWas({
  database,
  namespace,
}: QuotaRace): Promise<Pick<QuotaRaceResult, 'objects' | 'versions'>> {
  const { rows } = await database.query(VERSIONS, [namespace]);
  const { rows: found } = await database.query(OBJECTS, [namespace]);
  const versions = rows.map(({ version, used, there }) => ({ version, used: Number(used), there }));
  return { objects: found[0].objects, versions };
}

import type pg from 'pg';
import { waitUntil } from '../../tools/up/index.js';
import type { Answer, Api, ApiObject } from './api.js';

export interface QuotaRace {
  /** Clients of each server; what is sent to one that is being killed fails. */
  readonly servers: readonly Api[];
  /** The database of the servers. */
  readonly database: pg.Client;
  readonly namespace: string;
  /** How many objects of each of {@link RESOURCES} there may be. */
  readonly limit: number;
  /** Requesters of each server. */
  readonly requesters: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Kills servers and starts them again, until it is told that the race is over. */
  readonly disturb: (over: AbortSignal) => Promise<void>;
}

/** Resources to create; several, because writes of one type wait for each other anyway. */
export const RESOURCES = ['configmaps', 'secrets'] as const;
type Resource = (typeof RESOURCES)[number];

/** The usage of a resource that a version of the quota reports, and the real usage. */
export interface Said {
  readonly version: string;
  readonly resource: Resource;
  readonly used: number;
  readonly there: number;
}

/** The result of the race. */
export interface QuotaRaceResult {
  /** Objects that there are in the end. */
  readonly objects: Readonly<Record<Resource, number>>;
  /** Every version of the quota, the last ones at the end. */
  readonly versions: readonly Said[];
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
  const hard = Object.fromEntries(RESOURCES.map((resource) => [resource, String(limit)]));
  const quota = { metadata: { name: 'q' }, spec: { hard } };
  await made(first.post(`${path}/resourcequotas`, quota));
  await waitUntil('the quota is counted', START_MS, async () => {
    const { status } = (await first.get(`${path}/resourcequotas/q`)).json<ApiObject>();
    return RESOURCES.every((resource) => status?.used?.[resource] === '0');
  });
  const over = new AbortController();
  const disturbing = race.disturb(over.signal);
  let attempts = 0;
  let unanswered = 0;
  const requester = async (api: Api, resource: Resource, id: string): Promise<void> => {
    const collection = `${path}/${resource}`;
    // The last of them creates only, until there is no more.
    for (let i = 0, deletes = 1; ; i++) {
      attempts++;
      const answer = await api.post(collection, { metadata: { name: `${id}-${i}` } }).catch(() => undefined);
      if (!answer) unanswered++;
      if (answer?.status === 403 && answer.text.includes('exceeded quota')) {
        if (deletes-- <= 0) return;
      } else if (answer?.status === 201) {
        if (deletes > 0 && race.random() < DELETED) await api.delete(`${collection}/${id}-${i}`).catch(() => undefined);
      } else await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const all = servers.flatMap((api, at) =>
    Array.from({ length: requesters }, (_, i) => requester(api, RESOURCES[i % 2] ?? 'configmaps', `r${at}-${i}`)),
  );
  await Promise.all(all);
  over.abort();
  await disturbing;
  // Who had given up may have left room behind it: what was deleted late.
  for (const resource of RESOURCES) await requester(first, resource, 'last');
  return { ...(await whatThereWas(race)), attempts, unanswered };
}

async function made(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 201) throw new Error(`${status} ${text}`);
}

const TYPE = (name: string) => `(SELECT id FROM cluster.lane WHERE api_group = '' AND resource = ${name})`;
const VERSIONS = `
SELECT q.version, r.resource, convert_from(q.body, 'UTF8')::jsonb -> 'status' -> 'used' ->> r.resource AS used,
       (SELECT coalesce(sum(CASE c.action WHEN 5 THEN -1 WHEN 3 THEN 0 ELSE 1 END), 0) FROM cluster.change c
         WHERE c.type = ${TYPE('r.resource')} AND c.namespace = $1 AND c.version < q.version)::int AS there
  FROM cluster.change q, unnest($2::text[]) r (resource)
 WHERE q.type = ${TYPE("'resourcequotas'")} AND q.namespace = $1 AND q.action = 3 ORDER BY q.version`;
const OBJECTS = `
SELECT r.resource, (SELECT count(*) FROM cluster.object o WHERE o.type = ${TYPE('r.resource')} AND o.namespace = $1)::int AS objects
  FROM unnest($2::text[]) r (resource)`;

type Counted = Pick<QuotaRaceResult, 'objects' | 'versions'>;

async function whatThereWas({ database, namespace }: QuotaRace): Promise<Counted> {
  const { rows } = await database.query(VERSIONS, [namespace, RESOURCES]);
  const { rows: found } = await database.query(OBJECTS, [namespace, RESOURCES]);
  const versions = rows.map(({ used, ...said }): Said => ({ ...said, used: Number(used) }));
  return {
    objects: Object.fromEntries(found.map(({ resource, objects }) => [resource, objects])),
    versions,
  } as Counted;
}

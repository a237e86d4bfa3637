import { findEmbeddedPostgres } from '@orch/storage/embedded';
import pg from 'pg';
import { Connection, type Endpoint, requestBytes } from './connection.js';
import { fill, type RequestWorker } from './requests.js';
import { namespaceOf, type Resource } from './resource.js';
import { now } from './summary.js';
import type { OwnServer, Target } from './target.js';

/** Items of one call of the stored function. */
const CHUNK = 1_000;
const TEMPLATE = 'bulk-template';
const CAUGHT_UP_MS = 300_000;
const WRITERS = 16;

/** Creates as the server does them, of copies of the template $2 in namespace $1, named $3 and a number from $4 to $5. */
const CREATE = `
WITH items AS (
  SELECT o.type, o.namespace, $3 || n AS name, gen_random_uuid()::text AS uid, o.name AS old, o.uid AS old_uid,
         o.stored_version, o.defaults, convert_from(o.body, 'UTF8') AS body, o.owners
    FROM object o, generate_series($4::integer, $5::integer) n WHERE o.namespace = $1 AND o.name = $2),
arrays AS (
  SELECT array_agg(DISTINCT type) AS types, array_agg(1::smallint) AS ones, array_agg(namespace) AS namespaces,
         array_agg(name) AS names, array_agg(uid) AS uids, array_agg(NULL::bigint) AS versions,
         array_agg(stored_version) AS stored_versions, array_agg(defaults) AS defaults,
         array_agg(convert_to(replace(replace(body, old, name), old_uid, uid), 'UTF8')) AS bodies, array_agg(owners) AS owners
    FROM items)
SELECT count(*) AS written FROM arrays,
  commit_writes(NULL, types, '{}', 0, ones, ones, namespaces, names, uids, versions, stored_versions, defaults,
                bodies, owners, ones)
 WHERE o_outcome = 1`;

/** Updates of all objects of the type of template $2 in namespace $1, each to what it is. */
const UPDATE = `
WITH arrays AS (
  SELECT array_agg(DISTINCT o.type) AS types, array_agg(1::smallint) AS ones, array_agg(3::smallint) AS actions,
         array_agg(o.namespace) AS namespaces, array_agg(o.name) AS names, array_agg(o.uid) AS uids,
         array_agg(o.version) AS versions, array_agg(o.stored_version) AS stored_versions, array_agg(o.defaults) AS defaults,
         array_agg(o.body) AS bodies, array_agg(o.owners) AS owners
    FROM object o WHERE o.namespace = $1 AND o.type = (SELECT type FROM object WHERE namespace = $1 AND name = $2))
SELECT count(*) AS written FROM arrays,
  commit_writes(NULL, types, '{}', 0, ones, actions, namespaces, names, uids, versions, stored_versions, defaults,
                bodies, owners, ones)
 WHERE o_outcome = 1`;

/** Creates `count` objects `PREFIX0` and so on: through the database where it is ours, else as clients do. */
export async function grow(worker: RequestWorker, target: Target, prefix: string, count: number): Promise<void> {
  if (!target.own) return fill(worker, target, count, { prefix });
  const { endpoint, resource, own } = target;
  const namespace = namespaceOf(resource);
  await fill(worker, target, 1, { prefix: `${TEMPLATE}-${prefix}` });
  await inDatabase(own, async (database) => {
    for (let first = 0; first < count; first += CHUNK) {
      const last = Math.min(first + CHUNK, count) - 1;
      await written(
        database,
        CREATE,
        [namespace, `${TEMPLATE}-${prefix}-0`, `${prefix}-`, first, last],
        last - first + 1,
      );
    }
  });
  await caughtUp(endpoint, resource);
}

/** Makes `count` changes to `objects` objects `PREFIX-0` and so on; in our database to all of their namespace. */
export async function age(
  worker: RequestWorker,
  target: Target,
  prefix: string,
  objects: number,
  count: number,
): Promise<void> {
  const { endpoint, resource, own } = target;
  if (own) {
    await inDatabase(own, async (database) => {
      for (let done = 0; done < count; done += objects) {
        await written(database, UPDATE, [namespaceOf(resource), `${prefix}-0`], objects);
      }
    });
    return caughtUp(endpoint, resource);
  }
  const load = { verb: 'update', prefix, objects, requesters: WRITERS, seconds: 3600, count } as const;
  const { failed } = await worker.call('run', { endpoint, resource, ...load });
  if (failed > 0) throw new Error(`${failed} of ${count} updates failed`);
}

/** Lends a session with our database. */
export async function inDatabase<T>(own: OwnServer, run: (database: pg.Client) => Promise<T>): Promise<T> {
  const database = new pg.Client({ connectionString: await findEmbeddedPostgres(own.databaseDir) });
  await database.connect();
  try {
    await database.query('SET search_path = cluster');
    return await run(database);
  } finally {
    await database.end();
  }
}

async function written(database: pg.Client, query: string, values: unknown[], expected: number): Promise<void> {
  const { rows } = await database.query<{ written: string }>(query, values);
  if (Number(rows[0]?.written) < expected) throw new Error(`wrote ${rows[0]?.written} of ${expected} objects`);
}

/** Waits until the server serves what the database holds. */
async function caughtUp(endpoint: Endpoint, { path }: Resource): Promise<void> {
  const connection = await Connection.open(endpoint);
  const deadline = now() + CAUGHT_UP_MS;
  for (;;) {
    const { status } = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
    if (status === 200) break;
    if (now() > deadline) throw new Error(`${path}: still ${status}`);
  }
  connection.close();
}

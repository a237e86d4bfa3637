import { findEmbeddedPostgres } from '@orch/storage/embedded';
import pg from 'pg';

/** Items of one call of the stored function. */
const CHUNK = 1_000;

/** Creates as the server does them, of copies of the object $2 in namespace $1, named $3 and a number from $4 to $5. */
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

/** Copies of an object, which is found by its name: no text of it may hold that name but what is to become the name of the copy. */
export interface Copies {
  readonly namespace: string;
  /** Name of the object. */
  readonly of: string;
  /** A copy is named by this and its number, from 0. */
  readonly prefix: string;
  readonly count: number;
}

/**
 * Creates objects by the thousand in the database, for whom it matters that they are there and not how they came. The server serves
 * them a moment later: a list of the most recent version has them.
 * @throws Error when not all of them were created.
 */
export async function createCopies(database: pg.Client, { namespace, of, prefix, count }: Copies): Promise<void> {
  for (let first = 0; first < count; first += CHUNK) {
    const last = Math.min(first + CHUNK, count) - 1;
    await expectWritten(database, CREATE, [namespace, of, prefix, first, last], last - first + 1);
  }
}

/**
 * Runs a query that says in `written` how many objects it has written.
 * @throws Error when they are fewer than expected.
 */
export async function expectWritten(
  database: pg.Client,
  query: string,
  values: readonly unknown[],
  expected: number,
): Promise<void> {
  const { rows } = await database.query<{ written: string }>(query, [...values]);
  if (Number(rows[0]?.written) < expected) throw new Error(`wrote ${rows[0]?.written} of ${expected} objects`);
}

/** Lends a session with an embedded database, given its folder. */
export async function inDatabase<T>(folder: string, run: (database: pg.Client) => Promise<T>): Promise<T> {
  const database = new pg.Client({ connectionString: await findEmbeddedPostgres(folder) });
  await database.connect();
  try {
    await database.query('SET search_path = cluster');
    return await run(database);
  } finally {
    await database.end();
  }
}

import { textArray } from './arrays.js';
import type { Connection } from './connection.js';
import type { TypeId } from './store.js';

const LOCK = 1719283748;

const SELECT = `
SELECT t.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY a (api_group, resource, i)
  LEFT JOIN resource_type t ON t.api_group = a.api_group AND t.resource = a.resource ORDER BY a.i`;

// A type begins at a version of its own, so that an empty collection has one too, and "0" keeps its special meaning.
const INSERT = `
WITH fresh AS (
  INSERT INTO resource_type (id, api_group, resource, head)
  SELECT (SELECT coalesce(max(id), 0) FROM resource_type) + row_number() OVER (ORDER BY min(a.i)),
         a.api_group, a.resource, nextval('resource_version')
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY a (api_group, resource, i)
   WHERE NOT EXISTS (SELECT 1 FROM resource_type t WHERE t.api_group = a.api_group AND t.resource = a.resource)
   GROUP BY a.api_group, a.resource
  RETURNING id, head)
INSERT INTO history_floor (type, floor) SELECT id, head FROM fresh`;

/** Ids of types in the order asked, giving new ones to those that have none. Types are never removed, so ids aren't reused. */
export async function registerTypes(
  connection: Connection,
  types: readonly { group: string; resource: string }[],
): Promise<readonly TypeId[]> {
  const names = [textArray(types.map((type) => type.group)), textArray(types.map((type) => type.resource))];
  let rows = await connection.query(SELECT, names);
  if (rows.some(([id]) => id === null)) {
    await connection.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);
    try {
      await connection.query(INSERT, names);
      await connection.query('COMMIT');
    } catch (error) {
      if (!connection.broken) await connection.query('ROLLBACK');
      throw error;
    }
    rows = await connection.query(SELECT, names);
  }
  return rows.map(([id]) => Number(id));
}

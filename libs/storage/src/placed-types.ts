import { textArray } from './arrays.js';
import type { Connection } from './connection.js';
import type { TypeName } from './registered-types.js';

const READ = 'SELECT api_group, resource FROM placed ORDER BY 1, 2';

const NOTE = `
WITH told AS (SELECT * FROM unnest($1::text[], $2::text[]) t (api_group, resource)),
     gone AS (DELETE FROM placed p WHERE NOT EXISTS (SELECT FROM told t WHERE (t.api_group, t.resource) = (p.api_group, p.resource)))
INSERT INTO placed (api_group, resource) SELECT api_group, resource FROM told ON CONFLICT DO NOTHING`;

/** Types that lie in other databases than this one, as it was told last. */
export async function readPlaced(connection: Connection): Promise<readonly TypeName[]> {
  const rows = await connection.query(READ);
  return rows.map(([group, resource]) => ({ group: group ?? '', resource: resource ?? '' }));
}

/** Tells the database which types lie in others: these, and no others. */
export async function notePlaced(connection: Connection, types: readonly TypeName[]): Promise<void> {
  const [groups, resources] = [types.map(({ group }) => group), types.map(({ resource }) => resource)];
  await connection.query(NOTE, [textArray(groups), textArray(resources)]);
}

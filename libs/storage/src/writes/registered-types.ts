import type { DatabaseConnection } from '../connections/connection.js';
import { StoreUnavailableError } from '../face/errors.js';
import type { TypeId } from '../face/key.js';
import type { TypeName } from '../face/type-name.js';
import { int4Array, textArray } from './arrays.js';

const LOCK = 1719283748;

const SELECT = `
SELECT t.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY a (api_group, resource, i)
  LEFT JOIN resource_type t ON t.api_group = a.api_group AND t.resource = a.resource ORDER BY a.i`;

const ALL = 'SELECT api_group, resource FROM resource_type ORDER BY id';

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

// Types that a restored database has forgotten, under the ids that rows of surviving servers use.
const INSERT_AGAIN = `
WITH lost AS (
  INSERT INTO resource_type (id, api_group, resource, head)
  SELECT a.id, a.api_group, a.resource, nextval('resource_version')
    FROM unnest($1::integer[], $2::text[], $3::text[]) a (id, api_group, resource)
   WHERE NOT EXISTS (SELECT 1 FROM resource_type t
                      WHERE t.id = a.id OR (t.api_group = a.api_group AND t.resource = a.resource))
  RETURNING id, head)
INSERT INTO history_floor (type, floor) SELECT id, head FROM lost`;

/** All registered types, in order of registration. */
export async function allTypes(connection: DatabaseConnection): Promise<readonly TypeName[]> {
  const rows = await connection.query(ALL);
  return rows.map(([group, resource]) => ({ group: group ?? '', resource: resource ?? '' }));
}

/** The types that this process has asked for, and their ids in the database. */
export class RegisteredTypes {
  readonly #types = new Map<TypeId, TypeName>();

  /** @param mayWrite whether this process may register types; if not, others must */
  constructor(private readonly mayWrite = true) {}

  /** Ids in the order asked; those that have none get new ones. Types are never removed, so ids aren't reused. */
  async register(connection: DatabaseConnection, types: readonly TypeName[]): Promise<readonly TypeId[]> {
    let ids = await idsOf(connection, types);
    if (ids.includes(undefined)) {
      await alone(connection, () => connection.query(INSERT, namesOf(types)));
      ids = await idsOf(connection, types);
    }
    return this.#note(
      types,
      ids.map((id) => id ?? 0),
    );
  }

  /** Ids in the order asked; undefined if some are not registered yet. */
  async find(connection: DatabaseConnection, types: readonly TypeName[]): Promise<readonly TypeId[] | undefined> {
    const ids = await idsOf(connection, types);
    const known = ids.filter((id) => id !== undefined);
    return known.length === ids.length ? this.#note(types, known) : undefined;
  }

  #note(types: readonly TypeName[], ids: readonly TypeId[]): readonly TypeId[] {
    for (const [i, type] of types.entries()) this.#types.set(ids[i] ?? 0, type);
    return ids;
  }

  /**
   * Registers types again in a restored database that has forgotten them.
   * @throws StoreUnavailableError when it has given the id of one to another meanwhile, which only a restart fixes
   */
  async restore(connection: DatabaseConnection): Promise<void> {
    const [ids, types] = [[...this.#types.keys()], [...this.#types.values()]];
    const lost = (found: readonly (TypeId | undefined)[]) => ids.findIndex((id, i) => found[i] !== id);
    const found = await idsOf(connection, types);
    if (lost(found) < 0) return;
    if (!this.mayWrite && found.includes(undefined))
      throw new StoreUnavailableError(
        'the database was put back to before some types: an api-server has to register them',
        false,
      );
    if (this.mayWrite)
      await alone(connection, () => connection.query(INSERT_AGAIN, [int4Array(ids), ...namesOf(types)]));
    const type = types[lost(await idsOf(connection, types))];
    if (!type) return;
    const name = type.group === '' ? type.resource : `${type.resource}.${type.group}`;
    const what = `the database was put back to before it knew ${name}, and has numbered its types otherwise since`;
    throw new StoreUnavailableError(`${what}: this server must be started again`, false);
  }
}

function namesOf(types: readonly TypeName[]): readonly Buffer[] {
  return [textArray(types.map((type) => type.group)), textArray(types.map((type) => type.resource))];
}

async function idsOf(connection: DatabaseConnection, types: readonly TypeName[]): Promise<(TypeId | undefined)[]> {
  const rows = await connection.query(SELECT, namesOf(types));
  return rows.map(([id]) => (id === null || id === undefined ? undefined : Number(id)));
}

/** Runs something in a transaction, one process at a time. */
async function alone(connection: DatabaseConnection, run: () => Promise<unknown>): Promise<void> {
  await connection.query(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK})`);
  try {
    await run();
    await connection.query('COMMIT');
  } catch (error) {
    if (!connection.broken) await connection.query('ROLLBACK');
    throw error;
  }
}

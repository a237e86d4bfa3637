import type { Key, TypeId, Version } from '../face/key.js';
import { ROW_COLUMNS } from './rows.js';
import { walk } from './walk-sql.js';

/** Text for the statements below: COPY takes no parameters. @throws TypeError for what PostgreSQL cannot hold */
export function literal(text: string): string {
  if (text.includes('\0')) throw new TypeError('text with a zero character cannot be looked for');
  const quoted = `'${text.replaceAll("'", "''")}'`;
  // The escape form means the same whatever `standard_conforming_strings` is.
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

export const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Locks history. LOCK TABLE takes no snapshot, so the transaction's snapshot is younger than the locks: the floor that
 * it reads stays true of the history that it reads. The first table is the gate where compaction waits, apart from
 * writers.
 */
export const LOCK_HISTORY = 'LOCK TABLE ONLY history_partition, ONLY change IN ACCESS SHARE MODE';

/** Rows come in the order of their index: sorting would collect all of them before the first is sent. */
export const IN_INDEX_ORDER = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export const bounds = (type: TypeId) =>
  `SELECT t.head, f.floor FROM resource_type t JOIN history_floor f ON f.type = t.id WHERE t.id = ${type}`;

const ORDER = 'ORDER BY namespace, name';

/** Value of `change.action` for deletions. */
const DELETION = 5;

/** Steps back before the index of changes is searched for a shortcut: about the distance of those that it knows. */
const PATIENCE = 8;

/** Which keys of a type. */
export interface KeyRange {
  readonly type: TypeId;
  readonly namespace?: string;
  readonly after?: Key;
  /** The last one. */
  readonly through?: Key;
  /** Few objects exist among many retained row versions. */
  readonly sparse?: boolean;
}

/** SQL for the objects of a range, to be read in order. */
function objects(range: KeyRange): string {
  const { type, sparse } = range;
  if (!sparse) return `(SELECT * FROM object WHERE ${within('object', range)})`;
  return `(${walking(range)}
    SELECT k.namespace, k.name, x.uid, x.version, x.body, x.stored_version, x.owners, x.defaults
      FROM (SELECT namespace, name FROM walked ${ORDER}) k
      CROSS JOIN LATERAL (
        SELECT * FROM object l WHERE l.type = ${type} AND l.namespace = k.namespace AND l.name = k.name
         ORDER BY l.era DESC LIMIT 1) x)`;
}

/** Whether a range has fewer objects than this, found by walking from one to the next. */
export const areFewer = (range: KeyRange, objects: number) =>
  `${walking(range, String(objects))} SELECT count(*) < ${objects} FROM walked`;

/** Walks from object to object of a range, up to a limit. */
function walking({ through, ...range }: KeyRange, limit?: string): string {
  const { namespace } = range;
  return walk(within('o', range), {
    inNamespace: namespace !== undefined,
    ...(through && { from: beyond('o', '<=', through, namespace) }),
    ...(limit !== undefined && { limit }),
  });
}

/** SQL for the current rows of a range: columns of a Row in order, without the limit. */
export const currentRows = (range: KeyRange) => `SELECT ${ROW_COLUMNS} FROM ${objects(range)} o`;

/**
 * SQL for the rows at a version: objects that have not been written since, which their own version shows, and for the
 * others the state that the first later change replaced. Each part comes in the order of an index, and reads the keys
 * of its range and no others. No index knows which rows are of another version, though: a query that finds little in
 * its range reads all of it.
 */
export function exactRows(range: KeyRange, at: Version): string {
  return `(SELECT ${ROW_COLUMNS} FROM ${objects(range)} o WHERE o.version <= ${at} ${ORDER})
  UNION ALL
  (SELECT k.namespace, k.name, c.uid, c.prior_version, c.prior, coalesce(c.prior_stored_version, ''), c.prior_owners,
          c.prior_defaults
     FROM (${writtenSince(range, at)}) k
     CROSS JOIN LATERAL (${firstChangeAfter(range.type, at)}) f
     CROSS JOIN LATERAL (
       SELECT * FROM change x
        WHERE x.type = ${range.type} AND x.version = f.version AND x.version > ${at} OFFSET 0) c
    ORDER BY k.namespace, k.name)`;
}

/**
 * SQL for the first change of the object k after a version, which replaced the state of that version; no row when the
 * object did not exist. The query follows the changes back from the last one, as each records the version that it
 * replaced. Most objects have changed a few times; for others the way is shortened by an index that knows some of the
 * changes. The condition that all of it lies behind the version is repeated: older partitions, of which an open
 * snapshot may keep any number, need not even be opened then.
 */
const firstChangeAfter = (type: TypeId, at: Version) =>
  `WITH RECURSIVE back (version, found, step) AS (
    SELECT NULL::bigint, k.last, 0
    UNION ALL
    SELECT x.version, x.prior_version, b.step + 1
      FROM back b CROSS JOIN LATERAL (
        SELECT x.version, x.prior_version FROM change x
         WHERE x.type = ${type} AND x.version > ${at} AND x.version = CASE WHEN b.step <> ${PATIENCE} THEN b.found ELSE coalesce((
             SELECT s.version FROM change s
              WHERE s.type = ${type} AND s.namespace = k.namespace AND s.name = k.name AND s.sought
                AND s.version > ${at} AND s.version < b.found
              ORDER BY s.version LIMIT 1), b.found) END
        OFFSET 0) x
     WHERE b.found > ${at})
  SELECT version FROM back WHERE found <= ${at}`;

/** The keys that were written since a version, each with its first deletion since, or else the version that it has now. */
const writtenSince = (range: KeyRange, at: Version) =>
  `SELECT namespace, name, min(version) AS last FROM (
    (SELECT namespace, name, version FROM ${objects(range)} o WHERE o.version > ${at} ${ORDER})
    UNION ALL
    (SELECT namespace, name, version FROM change c
      WHERE ${within('c', range)} AND c.sought AND c.action = ${DELETION} AND c.version > ${at} ${ORDER})) w
   GROUP BY namespace, name`;

/** The key of the n-th object of a range, of any version; no row if there are fewer. */
export const nthKey = (range: KeyRange, n: number) =>
  `SELECT namespace, name FROM ${objects(range)} o ${ORDER} OFFSET ${n - 1} LIMIT 1`;

/** SQL for the last two of the first n rows with their numbers, the last one first. */
export const lastTwo = (rows: string, n: number) =>
  `SELECT namespace, name, i FROM (
    SELECT namespace, name, row_number() OVER (${ORDER}) AS i FROM (${rows}) r ${ORDER} LIMIT ${n}) k ORDER BY i DESC LIMIT 2`;

/** The keys of the last row within the limit and of the one behind it, if there are any. */
export const cut = (rows: string, limit: number) =>
  `SELECT namespace, name FROM (${rows}) r ${ORDER} OFFSET ${Math.max(0, limit - 1)} LIMIT 2`;

/** How many rows there are, in one row of one column: this one reads all of them. */
export const count = (rows: string) => `SELECT count(*) FROM (SELECT namespace, name FROM (${rows}) r) c`;

/** Same up to a number of rows. */
export const countUpTo = (rows: string, most: number) =>
  `SELECT count(*) FROM (SELECT FROM (${rows}) r LIMIT ${most}) c`;

/** The rows in order, up to a limit. */
export const page = (rows: string, limit: number | undefined) =>
  `SELECT * FROM (${rows}) r ${ORDER}${limit === undefined ? '' : ` LIMIT ${limit}`}`;

export const copyOut = (rows: string, limit: number | undefined) =>
  `COPY (${page(rows, limit)}) TO STDOUT (FORMAT binary)`;

function within(alias: string, { type, namespace, after, through }: KeyRange): string {
  const conditions = [`${alias}.type = ${type}`];
  if (namespace !== undefined) conditions.push(`${alias}.namespace = ${collated(namespace)}`);
  if (after) conditions.push(beyond(alias, '>', after, namespace));
  if (through) conditions.push(beyond(alias, '<=', through, namespace));
  return conditions.join(' AND ');
}

/** A key of another namespace than the requested one cuts off nothing or everything. */
function beyond(alias: string, operator: '>' | '<=', key: Key, namespace: string | undefined): string {
  if (namespace === undefined) {
    return `(${alias}.namespace, ${alias}.name) ${operator} (${collated(key.namespace)}, ${collated(key.name)})`;
  }
  if (key.namespace === namespace) return `${alias}.name ${operator} ${collated(key.name)}`;
  const before = Buffer.compare(Buffer.from(key.namespace), Buffer.from(namespace)) < 0;
  return String(before === (operator === '>'));
}

const collated = (text: string) => `${literal(text)} COLLATE "C"`;

import type { Key, SnapshotRequest, TypeId, Version } from './store.js';

/** Text for the statements below: COPY takes no parameters. @throws TypeError for what PostgreSQL cannot hold */
export function literal(text: string): string {
  if (text.includes('\0')) throw new TypeError('text with a zero character cannot be looked for');
  const quoted = `'${text.replaceAll("'", "''")}'`;
  // The escape form means the same whatever `standard_conforming_strings` is.
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

export const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * LOCK TABLE takes no snapshot, so the transaction's snapshot is younger than the locks: what it says of the floor stays true
 * of the history that it reads. The first table is the gate where compaction waits, apart from writers.
 */
export const LOCK_HISTORY = 'LOCK TABLE ONLY history_partition, ONLY change IN ACCESS SHARE MODE';

/** Rows come in the order of their index: sorting would hold all of them before the first goes out. */
export const IN_INDEX_ORDER = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export const bounds = (type: TypeId) =>
  `SELECT t.head, f.floor FROM resource_type t JOIN history_floor f ON f.type = t.id WHERE t.id = ${type}`;

const ORDER = 'ORDER BY namespace, name';

/** The rows asked for as they are now: columns of a Row in order, but for the limit. */
export function currentRows(request: SnapshotRequest): string {
  const old = request.upTo === undefined ? '' : ` AND o.version <= ${request.upTo}`;
  return `SELECT o.namespace, o.name, o.uid, o.version, o.body FROM object o WHERE ${range('o', request)}${old}`;
}

/**
 * The rows at a version: those that nothing has touched since, which their own version says, and for the others what the
 * first later change found. (Not an anti-join: the planner knows nothing of `change`, and would compare each with each.)
 */
export function exactRows(request: SnapshotRequest, at: Version): string {
  return `(WITH first_change AS MATERIALIZED (
    SELECT c.namespace, c.name, min(c.version) AS version
      FROM change c WHERE ${range('c', request)} AND c.version > ${at} GROUP BY c.namespace, c.name)
  SELECT c.namespace, c.name, c.uid, c.prior_version AS version, c.prior AS body
    FROM first_change u JOIN change c ON c.type = ${request.type} AND c.version = u.version
   WHERE c.prior IS NOT NULL)
  UNION ALL
  SELECT o.namespace, o.name, o.uid, o.version, o.body FROM object o WHERE ${range('o', request)} AND o.version <= ${at}`;
}

/** How many rows there are in all, and which is the last within the limit; no row when all fit. */
export function cut(rows: string, limit: number): string {
  const keys = `SELECT namespace, name FROM (${rows}) r`;
  return (
    `SELECT (SELECT count(*) FROM (${keys}) c), namespace, name FROM (${keys}) k ${ORDER} ` +
    `OFFSET ${Math.max(0, limit - 1)} LIMIT 1`
  );
}

export const copyOut = (rows: string, limit: number | undefined) =>
  `COPY (SELECT * FROM (${rows}) r ${ORDER}${limit === undefined ? '' : ` LIMIT ${limit}`}) TO STDOUT (FORMAT binary)`;

function range(alias: string, { type, namespace, after }: SnapshotRequest): string {
  const ofType = `${alias}.type = ${type}`;
  if (namespace === undefined) {
    if (after === undefined) return ofType;
    return `${ofType} AND (${alias}.namespace, ${alias}.name) > (${collated(after.namespace)}, ${collated(after.name)})`;
  }
  const within = `${ofType} AND ${alias}.namespace = ${collated(namespace)}`;
  return after === undefined ? within : `${within} AND ${behind(alias, namespace, after)}`;
}

/** A key before the namespace cuts nothing off; one behind it, everything. */
function behind(alias: string, namespace: string, after: Key): string {
  if (after.namespace === namespace) return `${alias}.name > ${collated(after.name)}`;
  return String(Buffer.compare(Buffer.from(after.namespace), Buffer.from(namespace)) < 0);
}

const collated = (text: string) => `${literal(text)} COLLATE "C"`;

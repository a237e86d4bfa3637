/** The last era of the last object first. */
const LAST = 'ORDER BY o.namespace DESC, o.name DESC, o.era DESC LIMIT 1';

/**
 * Goes from object to object, from the end of the index, where the newest row version of each comes first: dearer for each
 * (24 microseconds beside a load), but it passes by what an old snapshot keeps of them. Begins a statement that reads `walked`:
 * the keys, last one first, and what is asked for beside them.
 * @param where which rows of `object o`
 * @param settings.columns of `o`, beside the key
 * @param settings.limit as many objects at most
 */
export function walk(where: string, { columns = '', limit = '' } = {}): string {
  const row = `SELECT o.namespace, o.name${columns && `, ${columns}`} FROM object o WHERE ${where}`;
  return `WITH RECURSIVE walked AS (
  SELECT f.*, 1 AS step FROM (${row} ${LAST}) f
  UNION ALL
  SELECT n.*, w.step + 1 FROM walked w CROSS JOIN LATERAL (
    ${row} AND (o.namespace, o.name) < (w.namespace, w.name) ${LAST}) n${limit && ` WHERE w.step < ${limit}`})`;
}

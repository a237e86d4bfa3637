import type { TextRow } from './connection.js';
import type { HistoricChange, Row, TypeId } from './store.js';

/** Columns of `object` that make a {@link Row}, in the order that {@link readRow} expects. */
export const ROW_COLUMNS = 'o.namespace, o.name, o.uid, o.version, o.body, o.stored_version';

/** Reads {@link ROW_COLUMNS} that begin at column `from`. */
export function readRow(row: TextRow, from: number): Row {
  return {
    namespace: text(row, from),
    name: text(row, from + 1),
    uid: text(row, from + 2),
    version: BigInt(text(row, from + 3)),
    body: bytes(text(row, from + 4)),
    storedVersion: text(row, from + 5),
  };
}

/** Reads {@link ROW_COLUMNS} of a binary COPY (each column behind its length); keeps nothing of the message. */
export function readCopiedRow(message: Buffer, start: number): Row {
  let at = start + 2;
  const past = (): number => {
    at += 4 + message.readInt32BE(at);
    return at;
  };
  const string = (): string => message.toString('utf8', at + 4, past());
  const namespace = string();
  const name = string();
  const uid = string();
  const version = message.readBigInt64BE(at + 4);
  past();
  const body = Buffer.from(message.subarray(at + 4, past()));
  return { namespace, name, uid, version, body, storedVersion: string() };
}

/** Columns of `change` that make a {@link HistoricChange}, in the order that {@link readChange} expects. */
export const CHANGE_COLUMNS =
  'c.version, c.previous, c.action, c.namespace, c.name, c.uid, c.stored_version, c.body, c.at, c.prior, c.prior_version, ' +
  'c.prior_stored_version';

/** Reads {@link CHANGE_COLUMNS} that begin at column `from`. */
export function readChange(type: TypeId, row: TextRow, from: number): HistoricChange {
  const prior = row[from + 9];
  const priorVersion = row[from + 10];
  return {
    type,
    version: BigInt(text(row, from)),
    previous: BigInt(text(row, from + 1)),
    op: ACTIONS[text(row, from + 2)] ?? 'update',
    namespace: text(row, from + 3),
    name: text(row, from + 4),
    uid: text(row, from + 5),
    storedVersion: text(row, from + 6),
    body: bytes(text(row, from + 7)),
    at: Number(row[from + 8]),
    ...(prior && priorVersion
      ? { prior: bytes(prior), priorVersion: BigInt(priorVersion), priorStoredVersion: row[from + 11] ?? '' }
      : {}),
  };
}

const ACTIONS: Readonly<Record<string, HistoricChange['op']>> = { 1: 'create', 3: 'update', 5: 'delete' };

/** A column that is never null. */
export function text(row: TextRow, column: number): string {
  const value = row[column];
  if (value === null || value === undefined) throw new Error(`the database left column ${column} empty`);
  return value;
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

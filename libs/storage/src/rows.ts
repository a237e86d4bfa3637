import type { BodyCodec } from './body-codec.js';
import type { TextRow } from './connection.js';
import type { HistoricChange, Row, TypeId } from './store.js';

/** Columns of `object` that make a {@link Row}, in the order that {@link readRow} expects. */
export const ROW_COLUMNS = 'o.namespace, o.name, o.uid, o.version, o.body, o.stored_version, o.owners, o.defaults';

/** Reads {@link ROW_COLUMNS} that begin at column `from`. */
export function readRow(row: TextRow, from: number, bodies: BodyCodec): Row {
  return {
    namespace: text(row, from),
    name: text(row, from + 1),
    uid: text(row, from + 2),
    version: BigInt(text(row, from + 3)),
    body: whole(bytes(text(row, from + 4)), row[from + 6], bodies),
    storedVersion: text(row, from + 5),
    defaults: Number(row[from + 7]),
  };
}

/** What a binary COPY says of the length of a column that is null. */
const NULL = -1;

/** Reads {@link ROW_COLUMNS} of a binary COPY (each column behind its length); keeps nothing of the message. */
export function readCopiedRow(message: Buffer, start: number, bodies: BodyCodec): Row {
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
  const stored = Buffer.from(message.subarray(at + 4, past()));
  const storedVersion = string();
  const length = message.readInt32BE(at);
  const body = length === NULL ? stored : bodies.join(stored, message.subarray(at + 4, at + 4 + length));
  at += 4 + Math.max(0, length);
  const defaults = message.readInt32BE(at) === NULL ? 0 : message.readInt16BE(at + 4);
  return { namespace, name, uid, version, body, storedVersion, defaults };
}

/** Columns of `change` that make a {@link HistoricChange}, in the order that {@link readChange} expects. */
export const CHANGE_COLUMNS =
  'c.version, c.previous, c.action, c.namespace, c.name, c.uid, c.stored_version, c.body, c.at, c.prior, c.prior_version, ' +
  'c.prior_stored_version, c.owners, c.prior_owners, c.defaults, c.prior_defaults';

/** Reads {@link CHANGE_COLUMNS} that begin at column `from`. */
export function readChange(type: TypeId, row: TextRow, from: number, bodies: BodyCodec): HistoricChange {
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
    defaults: Number(row[from + 14]),
    body: whole(bytes(text(row, from + 7)), row[from + 12], bodies),
    at: Number(row[from + 8]),
    ...(prior && priorVersion
      ? {
          prior: whole(bytes(prior), row[from + 13], bodies),
          priorVersion: BigInt(priorVersion),
          priorStoredVersion: row[from + 11] ?? '',
          priorDefaults: Number(row[from + 15]),
        }
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

function whole(body: Buffer, owners: string | null | undefined, bodies: BodyCodec): Buffer {
  return owners ? bodies.join(body, bytes(owners)) : body;
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

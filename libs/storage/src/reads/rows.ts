import type { BodyCodec } from '../face/body-codec.js';
import type { TypeId, Version } from '../face/key.js';
import type { HistoricChange, Row } from '../face/store.js';
import { CopiedTuple } from './copied-tuple.js';
import type { TextRow } from './text-row.js';

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

/** Decodes {@link ROW_COLUMNS} of a binary COPY; keeps no reference to the message. */
export function readCopiedRow(message: Buffer, start: number, bodies: BodyCodec): Row {
  return readTuple(new CopiedTuple(message, start), bodies);
}

/** Decodes {@link ROW_COLUMNS}; keeps no reference to the message. */
export function readTuple(tuple: CopiedTuple, bodies: BodyCodec): Row {
  const namespace = tuple.text();
  const name = tuple.text();
  const uid = tuple.text();
  const version = required(tuple.int8());
  const stored = required(tuple.view());
  const storedVersion = tuple.text();
  const body = kept(stored, tuple.view(), bodies);
  return { namespace, name, uid, version, body, storedVersion, defaults: tuple.int2() ?? 0 };
}

/**
 * Columns of `change` that make a {@link HistoricChange}, in the order that {@link readCopiedChange} expects.
 * @param prior expression to use for the columns of the body before it
 */
export const changeColumns = (prior: (column: string) => string): string =>
  'version, previous, action, namespace, name, uid, stored_version, body, at, ' +
  `${prior('prior')}, prior_version, prior_stored_version, owners, ${prior('prior_owners')}, defaults, prior_defaults`;

/**
 * Decodes {@link changeColumns} of a binary COPY; keeps no reference to the message.
 * @param bodyAt finds the body of a version whose change has been read before: an empty column `prior` refers to it;
 * without, the result has no prior bodies
 */
export function readCopiedChange(
  type: TypeId,
  message: Buffer,
  start: number,
  bodies: BodyCodec,
  bodyAt?: (version: Version) => Buffer | undefined,
): HistoricChange {
  const tuple = new CopiedTuple(message, start);
  const version = required(tuple.int8());
  const previous = required(tuple.int8());
  const op = ACTIONS[required(tuple.int2())] ?? 'update';
  const key = { namespace: tuple.text(), name: tuple.text(), uid: tuple.text() };
  const storedVersion = tuple.text();
  const body = required(tuple.view());
  const at = Number(required(tuple.int8()));
  const stored = tuple.view();
  const priorVersion = tuple.int8();
  const priorStoredVersion = tuple.text();
  const owners = tuple.view();
  const priorOwners = tuple.view();
  const defaults = tuple.int2() ?? 0;
  const priorDefaults = tuple.int2() ?? 0;
  const prior = stored ? kept(stored, priorOwners, bodies) : priorVersion !== undefined && bodyAt?.(priorVersion);
  return {
    type,
    version,
    previous,
    op,
    ...key,
    storedVersion,
    defaults,
    body: kept(body, owners, bodies),
    at,
    ...(prior && { prior }),
    ...(priorVersion !== undefined && { priorVersion, priorStoredVersion, priorDefaults }),
  };
}

const ACTIONS: Readonly<Record<string, HistoricChange['op']>> = { 1: 'create', 3: 'update', 5: 'delete' };

/** Copies a body to memory of its own, joined with its field owners. */
function kept(stored: Buffer, owners: Buffer | undefined, bodies: BodyCodec): Buffer {
  const whole = owners ? bodies.join(stored, owners) : stored;
  return whole.buffer === stored.buffer ? Buffer.from(whole) : whole;
}

/** A column that is never null. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the database left a column empty');
  return value;
}

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

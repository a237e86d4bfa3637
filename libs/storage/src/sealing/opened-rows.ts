import type { Key } from '../face/key.js';
import type { HistoricChange, Row } from '../face/store.js';
import type { TypeName } from '../face/type-name.js';
import { type BodyCipher, UnreadableBodyError } from './body-cipher.js';

/** Bytes that are opened before other work runs. */
const TURN_BYTES = 2 << 20;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns a row with its body opened. @throws UnreadableBodyError */
export async function openedRow(cipher: BodyCipher, type: TypeName, row: Row): Promise<Row> {
  const body = cipher.open(type, row, row.body);
  return body === row.body ? row : { ...row, body: Buffer.isBuffer(body) ? body : await body };
}

/** Leaves out rows whose bodies cannot be opened. */
export interface LeavingOut {
  readonly leftOut: (error: UnreadableBodyError, row: Row) => void;
  /** Set when a key service did not answer: later bodies are hardly waited for, or each would be in turn. */
  away?: UnreadableBodyError;
}

/** Waits for a body; only for one turn of the event loop after a service did not answer. @throws UnreadableBodyError */
function openedSoon(body: Promise<Buffer>, type: TypeName, key: Key, { away }: LeavingOut): Promise<Buffer> {
  if (!away) return body;
  const late = async () => {
    await turn();
    throw new UnreadableBodyError({ type, key, why: away.what.why }, true, { cause: away });
  };
  return Promise.race([body, late()]);
}

/** Returns rows with their bodies opened. @throws UnreadableBodyError for the first failure, if none may be left out */
export async function openedRows(
  cipher: BodyCipher,
  type: TypeName,
  rows: readonly Row[],
  leavingOut?: LeavingOut,
): Promise<readonly Row[]> {
  const opened: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    try {
      const body = cipher.open(type, row, row.body);
      if (body === row.body) {
        opened.push(row);
        continue;
      }
      bytes += row.body.length;
      const soon = Buffer.isBuffer(body) || !leavingOut ? body : openedSoon(body, type, row, leavingOut);
      opened.push({ ...row, body: Buffer.isBuffer(soon) ? soon : await soon });
    } catch (error) {
      if (!leavingOut || !(error instanceof UnreadableBodyError)) throw error;
      if (error.passing) leavingOut.away ??= error;
      leavingOut.leftOut(error, row);
    }
    if (bytes < TURN_BYTES) continue;
    bytes = 0;
    await turn();
  }
  return opened;
}

/** Changes up to the first that cannot be opened, and its error. */
interface OpenedChanges {
  readonly changes: readonly HistoricChange[];
  readonly unreadable?: { readonly at: HistoricChange; readonly error: UnreadableBodyError };
}

/**
 * Opens the bodies of a change.
 * @param opened bodies of the earlier changes, by their stored form: the state before a change is the one that an
 * earlier change has left, and is opened only once
 */
async function openedChange(
  cipher: BodyCipher,
  type: TypeName,
  change: HistoricChange,
  opened: Map<Buffer, Buffer>,
): Promise<HistoricChange> {
  const body = await cipher.open(type, change, change.body);
  opened.set(change.body, body);
  const prior = change.prior && (opened.get(change.prior) ?? (await cipher.open(type, change, change.prior)));
  return body === change.body && prior === change.prior ? change : { ...change, body, ...(prior && { prior }) };
}

/** Opens both bodies of each change. */
export async function openedChanges(
  cipher: BodyCipher,
  type: TypeName,
  changes: readonly HistoricChange[],
): Promise<OpenedChanges> {
  const opened: HistoricChange[] = [];
  const bodies = new Map<Buffer, Buffer>();
  let bytes = 0;
  for (const change of changes) {
    try {
      opened.push(await openedChange(cipher, type, change, bodies));
    } catch (error) {
      if (!(error instanceof UnreadableBodyError)) throw error;
      return { changes: opened, unreadable: { at: change, error } };
    }
    bytes += change.body.length + (change.prior?.length ?? 0);
    if (bytes < TURN_BYTES) continue;
    bytes = 0;
    await turn();
  }
  return { changes: opened };
}

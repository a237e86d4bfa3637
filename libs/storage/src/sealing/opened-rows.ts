import type { TypeName } from '../registered-types.js';
import type { HistoricChange, Row } from '../store.js';
import { type BodyCipher, UnreadableBodyError } from './body-cipher.js';

/** Bytes that are opened before others have their turn. */
const TURN_BYTES = 2 << 20;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A row with its body opened. @throws UnreadableBodyError */
export async function openedRow(cipher: BodyCipher, type: TypeName, row: Row): Promise<Row> {
  const body = cipher.open(type, row, row.body);
  return body === row.body ? row : { ...row, body: Buffer.isBuffer(body) ? body : await body };
}

/** Rows with their bodies opened. @throws UnreadableBodyError for the first that cannot be */
export async function openedRows(cipher: BodyCipher, type: TypeName, rows: readonly Row[]): Promise<readonly Row[]> {
  const opened: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const body = cipher.open(type, row, row.body);
    opened.push(body === row.body ? row : { ...row, body: Buffer.isBuffer(body) ? body : await body });
    bytes += body === row.body ? 0 : row.body.length;
    if (bytes < TURN_BYTES) continue;
    bytes = 0;
    await turn();
  }
  return opened;
}

/** Changes up to the first that cannot be opened, and why that cannot. */
export interface OpenedChanges {
  readonly changes: readonly HistoricChange[];
  readonly unreadable?: { readonly at: HistoricChange; readonly error: UnreadableBodyError };
}

async function openedChange(cipher: BodyCipher, type: TypeName, change: HistoricChange): Promise<HistoricChange> {
  const body = await cipher.open(type, change, change.body);
  const prior = change.prior && (await cipher.open(type, change, change.prior));
  return body === change.body && prior === change.prior ? change : { ...change, body, ...(prior && { prior }) };
}

/** Changes with both of their bodies opened. */
export async function openedChanges(
  cipher: BodyCipher,
  type: TypeName,
  changes: readonly HistoricChange[],
): Promise<OpenedChanges> {
  const opened: HistoricChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    try {
      opened.push(await openedChange(cipher, type, change));
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

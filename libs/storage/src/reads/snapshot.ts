import type { DatabaseConnection } from '../connections/connection.js';
import { toStoreError } from '../connections/failures.js';
import type { Pool } from '../connections/pool.js';
import { HistoryExpiredError } from '../face/errors.js';
import type { Version } from '../face/key.js';
import type { CompleteOptions } from '../face/options.js';
import type { Snapshot, SnapshotRequest } from '../face/store.js';
import type { Lineage } from '../maintenance/lineage.js';
import { findPageEnd } from './exact-page.js';
import { KeptRows } from './kept-rows.js';
import { FEW, unknownType } from './reader.js';
import { text } from './rows.js';
import { SnapshotPages, SnapshotSession } from './snapshot-session.js';
import {
  areFewer,
  BEGIN,
  bounds,
  copyOut,
  count,
  countUpTo,
  currentRows,
  cut,
  exactRows,
  IN_INDEX_ORDER,
  type KeyRange,
  LOCK_HISTORY,
} from './snapshot-sql.js';
import type { TextRow } from './text-row.js';

/** A snapshot request with the range of keys to read. */
type Reading = SnapshotRequest & KeyRange;

/** Lists of one consistent state, of any length in bounded memory. */
export class Snapshots {
  readonly #kept = new KeptRows();

  constructor(
    private readonly pool: Pool,
    private readonly lineage: Lineage,
    private readonly options: CompleteOptions,
  ) {}

  /** @throws HistoryExpiredError, StoreUnavailableError; RangeError for an `at` above the head */
  async take(request: SnapshotRequest): Promise<Snapshot> {
    const connection = await this.pool.acquire();
    const session = new SnapshotSession(connection, this.pool, this.options);
    try {
      const { at } = request;
      const reading = { ...request, sparse: await this.#isSparse(request, connection) };
      if (at === undefined) return await this.#current(reading, session, [BEGIN]);
      const head = await this.#reach(request, at, session);
      return await (at === head ? this.#current(reading, session, []) : this.#exact(reading, at, session));
    } catch (error) {
      await session.end();
      const known = error instanceof HistoryExpiredError || error instanceof RangeError || error instanceof TypeError;
      throw known ? error : toStoreError(error, false);
    }
  }

  /** Seeking an object costs several times as much as reading it: worthwhile for few, with much between them. */
  async #isSparse(range: KeyRange, connection: DatabaseConnection): Promise<boolean> {
    if ((await this.#kept.count(connection)) < this.options.deadRows) return false;
    const [row] = await connection.query(areFewer(range, FEW));
    return row?.[0] === 't';
  }

  /** Begins a transaction that sees the state at a version, or can rebuild it; returns the head that it sees. */
  async #reach({ type }: SnapshotRequest, at: Version, session: SnapshotSession): Promise<Version> {
    const [row] = await session.begin(`${BEGIN}; ${LOCK_HISTORY}; ${bounds(type)}`);
    if (!row) throw unknownType(type);
    const head = BigInt(text(row, 0));
    const floor = BigInt(text(row, 1));
    if (at < floor || this.lineage.isLost(type, at)) throw new HistoryExpiredError(at, floor, head);
    if (at > head) throw new RangeError(`version ${at} is above the head ${head}`);
    return head;
  }

  async #current(request: Reading, session: SnapshotSession, begin: readonly string[]): Promise<Snapshot> {
    const { type, limit, cut: wanted } = request;
    const rows = currentRows(request);
    const counts = wanted === 'count' && limit !== undefined ? [count(rows)] : [];
    const ends = wanted && limit !== undefined ? [cut(rows, limit)] : [];
    const ahead = [...begin, bounds(type), IN_INDEX_ORDER, ...counts, ...ends];
    const { heading, pages } = await this.#stream(session, ahead, copyOut(rows, limit));
    const [bound, ...found] = heading;
    if (!bound) throw unknownType(type);
    const [last, next] = found.slice(counts.length);
    return {
      version: BigInt(text(bound, 0)),
      pages,
      ...(last && next && { last: { namespace: text(last, 0), name: text(last, 1) } }),
      ...(counts.length > 0 && { remaining: remaining(found[0], limit) }),
    };
  }

  /** Compaction waits for readers of history, so no more of it is counted than takes a moment. */
  async #exact(request: Reading, at: Version, session: SnapshotSession): Promise<Snapshot> {
    const { limit, cut: wanted } = request;
    if (limit === undefined) {
      const whole = copyOut(exactRows(request, at), undefined);
      return { version: at, pages: (await this.#stream(session, [IN_INDEX_ORDER], whole)).pages };
    }
    const { last, more } = await findPageEnd(session.connection, request, at, limit);
    const rows = exactRows({ ...request, ...(last && { through: last }) }, at);
    const most = limit + this.options.countedRows;
    const counts = wanted === 'count' ? [countUpTo(exactRows(request, at), most + 1)] : [];
    const { heading, pages } = await this.#stream(session, counts, copyOut(rows, last ? undefined : 0));
    return {
      version: at,
      pages,
      ...(wanted && more && last && { last }),
      ...(counts.length > 0 && Number(heading[0]?.[0]) <= most && { remaining: remaining(heading[0], limit) }),
    };
  }

  /** Copies rows to the end of the transaction; `heading` are the rows of the statements ahead. */
  async #stream(session: SnapshotSession, ahead: readonly string[], copied: string) {
    const copy = session.copy([...ahead, copied, 'COMMIT'].join('; '));
    return { heading: await copy.heading(), pages: new SnapshotPages(session, copy) };
  }
}

const remaining = (counted: TextRow | undefined, limit = 0): number => Math.max(0, Number(counted?.[0]) - limit);

import { toStoreError } from './failures.js';
import type { Lineage } from './lineage.js';
import type { CompleteOptions } from './options.js';
import type { Pool } from './pool.js';
import { unknownType } from './reader.js';
import { text } from './rows.js';
import { SnapshotPages, SnapshotSession } from './snapshot-session.js';
import { BEGIN, bounds, copyOut, currentRows, cut, exactRows, IN_INDEX_ORDER, LOCK_HISTORY } from './snapshot-sql.js';
import { HistoryExpiredError, type Snapshot, type SnapshotRequest, type Version } from './store.js';

/** Lists of one consistent state, of any length in bounded memory. */
export class Snapshots {
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
      if (at === undefined) return await this.#stream(request, session, [BEGIN], currentRows(request));
      const head = await this.#reach(request, at, session);
      const rows = at === head ? currentRows(request) : exactRows(request, at);
      return await this.#stream(request, session, [], rows);
    } catch (error) {
      await session.end();
      const known = error instanceof HistoryExpiredError || error instanceof RangeError || error instanceof TypeError;
      throw known ? error : toStoreError(error, false);
    }
  }

  /** Begins a transaction that sees the state at a version, or how to rebuild it; the head that it sees. */
  async #reach({ type }: SnapshotRequest, at: Version, session: SnapshotSession): Promise<Version> {
    const [row] = await session.begin(`${BEGIN}; ${LOCK_HISTORY}; ${bounds(type)}`);
    if (!row) throw unknownType(type);
    const head = BigInt(text(row, 0));
    const floor = BigInt(text(row, 1));
    if (at < floor || this.lineage.isLost(type, at)) throw new HistoryExpiredError(at, floor, head);
    if (at > head) throw new RangeError(`version ${at} is above the head ${head}`);
    return head;
  }

  async #stream(
    request: SnapshotRequest,
    session: SnapshotSession,
    begin: readonly string[],
    rows: string,
  ): Promise<Snapshot> {
    const { type, limit, at } = request;
    const counted = request.countRemaining && limit !== undefined ? limit : undefined;
    const counts = counted === undefined ? [] : [cut(rows, counted)];
    const statements = [...begin, bounds(type), ...counts, IN_INDEX_ORDER, copyOut(rows, limit), 'COMMIT'];
    const copy = session.copy(statements.join('; '));
    const [bound, found] = await copy.heading();
    if (!bound) throw unknownType(type);
    const snapshot = { version: at ?? BigInt(text(bound, 0)), pages: new SnapshotPages(session, copy) };
    if (counted === undefined) return snapshot;
    const remaining = found ? Number(text(found, 0)) - counted : 0;
    if (!found || remaining <= 0) return { ...snapshot, remaining: 0 };
    return { ...snapshot, remaining, last: { namespace: text(found, 1), name: text(found, 2) } };
  }
}

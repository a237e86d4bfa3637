import type { Connection } from './connection.js';
import { TookTooLongError } from './failures.js';
import type { Lineage } from './lineage.js';
import type { CompleteOptions } from './options.js';
import type { Pool } from './pool.js';
import { unknownType } from './reader.js';
import { CHANGE_COLUMNS, readCopiedChange, text } from './rows.js';
import { bounds, LOCK_HISTORY } from './snapshot-sql.js';
import { type HistoricChange, HistoryExpiredError, type TypeId, type Version } from './store.js';

/** How much smaller a page is asked for after one that took too long, and by how much larger than one that did not. */
const SHRINK = 8;
const GROW = 2;

/** The bound of a page that holds one change, whatever its size. */
const ONE_CHANGE = 1;

/** Bytes of the bodies of a change `x`; the length of what lies apart is known without reading it. */
const BYTES = ['body', 'prior', 'owners', 'prior_owners']
  .map((column) => `coalesce(octet_length(x.${column}), 0)`)
  .join(' + ');

/**
 * The changes after a version whose bodies have so many bytes together, and one at least; none where compaction has
 * removed what comes next.
 */
const pageOf = (type: TypeId, after: Version, changes: number, bytes: number) => `
COPY (
  SELECT ${CHANGE_COLUMNS} FROM change c
   WHERE c.type = ${type} AND c.version > ${after}
     AND ${after} >= (SELECT floor FROM history_floor WHERE type = ${type})
     AND c.version <= (
       SELECT max(version) FROM (
         SELECT s.version, s.bytes, sum(s.bytes) OVER (ORDER BY s.version) AS through
           FROM (SELECT x.version, ${BYTES} AS bytes FROM change x
                  WHERE x.type = ${type} AND x.version > ${after} ORDER BY x.version LIMIT ${changes}) s) p
        WHERE p.through <= ${bytes} OR p.through = p.bytes)
   ORDER BY c.version) TO STDOUT (FORMAT binary)`;

/** Reads the history of types in pages that are bounded in bytes, on connections that serve nothing else. */
export class HistoryPages {
  /** Bytes of the next page of types whose last one took too long. */
  readonly #smaller = new Map<TypeId, number>();

  constructor(
    private readonly pool: Pool,
    private readonly lineage: Lineage,
    private readonly options: CompleteOptions,
  ) {}

  /**
   * Changes after a version, ascending: at most so many, and of no more than `historyPageBytes`, unless the first alone is
   * larger. None only where there are none. A page that takes too long is asked for again with less.
   * @throws HistoryExpiredError, StoreUnavailableError
   */
  async after(type: TypeId, version: Version, changes: number): Promise<readonly HistoricChange[]> {
    const most = this.options.historyPageBytes;
    for (let bytes = this.#smaller.get(type) ?? most; ; bytes = Math.max(ONE_CHANGE, Math.floor(bytes / SHRINK))) {
      try {
        const page = await this.pool.use((connection) => this.#read(connection, type, version, changes, bytes));
        this.#note(type, bytes * GROW);
        return page;
      } catch (error) {
        if (!(error instanceof TookTooLongError) || bytes === ONE_CHANGE) throw error;
        this.#note(type, Math.max(ONE_CHANGE, Math.floor(bytes / SHRINK)));
      }
    }
  }

  #note(type: TypeId, bytes: number): void {
    if (bytes < this.options.historyPageBytes) this.#smaller.set(type, bytes);
    else this.#smaller.delete(type);
  }

  /**
   * The lock comes first, as a COPY sees the state of before its own locks: a floor of then, and the changes that compaction
   * has left, would not belong together.
   */
  async #read(
    connection: Connection,
    type: TypeId,
    after: Version,
    changes: number,
    bytes: number,
  ): Promise<readonly HistoricChange[]> {
    const { bodies } = this.options;
    const { heading, rows } = await connection.copyAll(
      [LOCK_HISTORY, bounds(type), pageOf(type, after, changes, bytes)].join('; '),
      (message, at) => readCopiedChange(type, message, at, bodies),
    );
    const [bound] = heading;
    if (!bound) throw unknownType(type);
    const floor = BigInt(text(bound, 1));
    if (after < floor || this.lineage.isLost(type, after)) {
      throw new HistoryExpiredError(after, floor, BigInt(text(bound, 0)));
    }
    return rows;
  }
}

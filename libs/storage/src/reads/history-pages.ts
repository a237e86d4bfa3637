import type { DatabaseConnection } from '../connections/connection.js';
import { TookTooLongError } from '../connections/failures.js';
import type { Pool } from '../connections/pool.js';
import { HistoryExpiredError } from '../face/errors.js';
import type { TypeId, Version } from '../face/key.js';
import type { CompleteOptions } from '../face/options.js';
import type { HistoricChange, PriorDetail } from '../face/store.js';
import type { Lineage } from '../maintenance/lineage.js';
import { earlyCollection } from './early-collection.js';
import { unknownType } from './reader.js';
import { changeColumns, readCopiedChange, text } from './rows.js';
import { bounds, LOCK_HISTORY } from './snapshot-sql.js';

/** Factor by which a page is smaller after one that took too long, and larger after one that did not. */
const SHRINK = 8;
const GROW = 2;

/** The bound of a page that holds one change, whatever its size. */
const ONE_CHANGE = 1;

/** A request for a page of the history of a type. */
interface PageRequest {
  readonly type: TypeId;
  readonly after: Version;
  /** Maximum number of changes. */
  readonly changes: number;
  readonly prior: PriorDetail;
}

/**
 * Returns an SQL expression for the body before each change of a page, when asked for. Bodies that the page already
 * holds as the state after another change are not sent twice.
 */
const priorOf = ({ after, prior }: PageRequest) =>
  prior === 'version'
    ? () => 'NULL::bytea'
    : (column: string) => `CASE WHEN prior_version > ${after} THEN NULL ELSE ${column} END`;

/** Bytes of the bodies of a change in a page; the length of a body stored out of line is known without reading it. */
const bytesOf = (request: PageRequest) =>
  ['body', 'owners', ...['prior', 'prior_owners'].map(priorOf(request))]
    .map((column) => `coalesce(octet_length(${column}), 0)`)
    .join(' + ');

/** Changes after a version that hold this many bytes, at least one; none where compaction has removed the next. */
const pageOf = (request: PageRequest, bytes: number) => {
  const { type, after, changes } = request;
  return `
COPY (
  SELECT ${changeColumns(priorOf(request))} FROM change c
   WHERE c.type = ${type} AND c.version > ${after}
     AND ${after} >= (SELECT floor FROM history_floor WHERE type = ${type})
     AND c.version <= (
       SELECT max(version) FROM (
         SELECT s.version, s.bytes, sum(s.bytes) OVER (ORDER BY s.version) AS through
           FROM (SELECT x.version, ${bytesOf(request)} AS bytes FROM change x
                  WHERE x.type = ${type} AND x.version > ${after} ORDER BY x.version LIMIT ${changes}) s) p
        WHERE p.through <= ${bytes} OR p.through = p.bytes)
   ORDER BY c.version) TO STDOUT (FORMAT binary)`;
};

/** Reads the history of types in pages that are bounded in bytes, on dedicated connections. */
export class HistoryPages {
  /** Bytes of the next page of types whose last one took too long. */
  readonly #smaller = new Map<TypeId, number>();

  constructor(
    private readonly pool: Pool,
    private readonly lineage: Lineage,
    private readonly options: CompleteOptions,
  ) {}

  /**
   * Returns changes after a version, ascending: up to a number, and of no more than `historyPageBytes`, unless the
   * first alone is larger. It is empty only when there are none. A page that times out is asked for again with fewer
   * bytes.
   * @param of `changes`: the most to return; `prior`: whether the bodies before them are read too
   * @throws HistoryExpiredError, StoreUnavailableError
   */
  async after(
    type: TypeId,
    after: Version,
    of: Pick<PageRequest, 'changes' | 'prior'>,
  ): Promise<readonly HistoricChange[]> {
    const request = { type, after, ...of };
    const most = this.options.historyPageBytes;
    for (let bytes = this.#smaller.get(type) ?? most; ; bytes = Math.max(ONE_CHANGE, Math.floor(bytes / SHRINK))) {
      try {
        const page = await this.pool.use((connection) => this.#read(connection, request, bytes));
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
   * Takes the lock first, as a COPY uses a snapshot taken before its own locks: a floor read then would not match the
   * changes that compaction has left.
   */
  async #read(connection: DatabaseConnection, request: PageRequest, bytes: number): Promise<readonly HistoricChange[]> {
    const { type, after, prior } = request;
    const page = new SharedBodies();
    const bodyAt = prior === 'body' ? page.bodyAt : undefined;
    const { heading, rows } = await connection.copyAll(
      [LOCK_HISTORY, bounds(type), pageOf(request, bytes)].join('; '),
      (message, at) => page.note(readCopiedChange(type, message, at, this.options.bodies, bodyAt)),
    );
    for (const { body } of rows) earlyCollection.expect(body.length);
    const [bound] = heading;
    if (!bound) throw unknownType(type);
    const floor = BigInt(text(bound, 1));
    if (after < floor || this.lineage.isLost(type, after) || page.lacking) {
      throw new HistoryExpiredError(after, floor, BigInt(text(bound, 0)));
    }
    return rows;
  }
}

/** The bodies of a page by their versions, as long as it is read. */
class SharedBodies {
  readonly #bodies = new Map<Version, Buffer>();
  #last: Version | undefined;
  /** A change is missing: this history cannot be followed. */
  lacking = false;

  readonly bodyAt = (version: Version): Buffer | undefined => {
    const body = this.#bodies.get(version);
    if (body === undefined) this.lacking = true;
    return body;
  };

  note(change: HistoricChange): HistoricChange {
    this.#bodies.set(change.version, change.body);
    // 0 only marks the first change of a type.
    if (this.#last !== undefined && change.previous !== this.#last && change.previous !== 0n) this.lacking = true;
    this.#last = change.version;
    return change;
  }
}

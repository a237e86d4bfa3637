import type { Connection, TextRow } from './connection.js';
import { ConnectionLostError, toStoreError } from './failures.js';
import type { CompleteOptions } from './options.js';
import type { Pool } from './pool.js';
import { unknownType } from './reader.js';
import { readRow, text } from './rows.js';
import { HistoryExpiredError, type Key, type Row, type Snapshot, type SnapshotRequest } from './store.js';

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * LOCK TABLE takes no snapshot, so the transaction's snapshot is younger than the locks: what it says of the floor stays true
 * of the history that it reads. The first table is the gate where compaction waits, apart from writers.
 */
const BEGIN_EXACT = `${BEGIN}; LOCK TABLE ONLY history_partition, ONLY change IN ACCESS SHARE MODE`;

/** Columns: head, floor, matching rows in all (null unless counted), then those of a Row. */
function currentStatement(inNamespace: boolean, count: boolean): string {
  const range = inNamespace
    ? `x.namespace = $2 COLLATE "C" AND x.name > $3 COLLATE "C"`
    : `(x.namespace, x.name) > ($2 COLLATE "C", $3 COLLATE "C")`;
  return `
SELECT t.head, f.floor, ${count ? `(SELECT count(*) FROM object x WHERE x.type = $1 AND ${range})` : 'NULL'},
       o.namespace, o.name, o.uid, o.version, o.body
  FROM resource_type t JOIN history_floor f ON f.type = t.id
  LEFT JOIN LATERAL (
    SELECT * FROM object x WHERE x.type = $1 AND ${range} ORDER BY x.namespace, x.name LIMIT $4) o ON true
 WHERE t.id = $1
 ORDER BY o.namespace, o.name`;
}

/**
 * The state at version $4: rows that nothing has touched since, which their own version says, and for the others what the
 * first later change found. (Not an anti-join: the planner knows nothing of `change`, and would compare each with each.)
 */
function exactQuery(inNamespace: boolean): string {
  const range = (alias: string) =>
    inNamespace
      ? `${alias}.namespace = $2 COLLATE "C" AND ${alias}.name > $3 COLLATE "C"`
      : `(${alias}.namespace, ${alias}.name) > ($2 COLLATE "C", $3 COLLATE "C")`;
  return `
  WITH first_change AS MATERIALIZED (
    SELECT c.namespace, c.name, min(c.version) AS version
      FROM change c WHERE c.type = $1 AND c.version > $4 AND ${range('c')} GROUP BY c.namespace, c.name)
  SELECT o.namespace, o.name, o.uid, o.version, o.body
    FROM object o
   WHERE o.type = $1 AND ${range('o')} AND o.version <= $4
  UNION ALL
  SELECT c.namespace, c.name, c.uid, c.prior_version, c.prior
    FROM first_change u JOIN change c ON c.type = $1 AND c.version = u.version
   WHERE c.prior IS NOT NULL`;
}

interface Page {
  readonly rows: readonly Row[];
  readonly last: boolean;
}

/** Fetches the page of at most `rows` rows behind a key. */
type Fetch = (after: Key | undefined, rows: number) => Promise<Page>;

/** Lists of one consistent state. */
export class Snapshots {
  constructor(
    private readonly pool: Pool,
    private readonly options: CompleteOptions,
  ) {}

  /** @throws HistoryExpiredError, StoreUnavailableError; RangeError for an `at` above the head */
  async take(request: SnapshotRequest): Promise<Snapshot> {
    const connection = await this.pool.acquire();
    const session = new Session(connection, this.pool, this.options.snapshotTimeout);
    try {
      return await this.#begin(request, session);
    } catch (error) {
      await session.end();
      throw error instanceof HistoryExpiredError || error instanceof RangeError ? error : toStoreError(error, false);
    }
  }

  async #begin(request: SnapshotRequest, session: Session): Promise<Snapshot> {
    const { type, at } = request;
    if (at === undefined) {
      // One page that holds everything asked for is one statement, which is a snapshot by itself.
      if (request.limit === undefined || request.limit > this.options.pageRows) await session.begin(BEGIN);
      return this.#current(request, session);
    }
    await session.begin(BEGIN_EXACT);
    const [row] = await session.connection.statement(
      'reach',
      'SELECT t.head, f.floor FROM resource_type t JOIN history_floor f ON f.type = t.id WHERE t.id = $1',
      [type],
    );
    if (!row) throw unknownType(type);
    const head = BigInt(text(row, 0));
    const floor = BigInt(text(row, 1));
    if (at < floor) throw new HistoryExpiredError(at, floor, head);
    if (at > head) throw new RangeError(`version ${at} is above the head ${head}`);
    return at === head ? this.#current(request, session) : this.#exact(request, at, session);
  }

  async #current(request: SnapshotRequest, session: Session): Promise<Snapshot> {
    const { type, namespace, limit, after } = request;
    const fetch = (from: Key | undefined, rows: number, count: boolean) => {
      const inNamespace = namespace !== undefined;
      const name = `list${inNamespace ? '_namespace' : ''}${count ? '_count' : ''}`;
      const start = [namespace ?? from?.namespace ?? '', afterName(namespace, from)];
      return session.connection.statement(name, currentStatement(inNamespace, count), [type, ...start, rows]);
    };
    const size = Math.min(limit ?? Number.POSITIVE_INFINITY, this.options.pageRows);
    const first = await fetch(after, size, request.countRemaining === true && limit !== undefined);
    if (!first[0]) throw unknownType(type);
    const total = first[0][2];
    const counted = total === null || total === undefined ? undefined : Number(total);
    const next: Fetch = async (from, rows) => toPage(listed(await fetch(from, rows, false)), 3, rows);
    return {
      version: BigInt(text(first[0], 0)),
      pages: new Pages(session, toPage(listed(first), 3, size), next, limit, this.options),
      ...remaining(request, counted),
    };
  }

  async #exact(request: SnapshotRequest, at: bigint, session: Session): Promise<Snapshot> {
    const { type, namespace, after, limit } = request;
    const query = exactQuery(namespace !== undefined);
    const values = [type, namespace ?? after?.namespace ?? '', afterName(namespace, after), at];
    let counted: number | undefined;
    if (request.countRemaining && limit !== undefined) {
      const [row] = await session.connection.query(`SELECT count(*) FROM (${query}) all_rows`, values);
      counted = Number(row?.[0]);
    }
    const cursor = `DECLARE exact NO SCROLL CURSOR FOR ${query} ORDER BY namespace, name`;
    await session.connection.query(cursor, values);
    const next: Fetch = async (_, rows) => toPage(await session.connection.query(`FETCH ${rows} FROM exact`), 0, rows);
    const size = Math.min(limit ?? Number.POSITIVE_INFINITY, this.options.pageRows);
    const first = size === 0 ? { rows: [], last: true } : await next(undefined, size);
    return { version: at, pages: new Pages(session, first, next, limit, this.options), ...remaining(request, counted) };
  }
}

function afterName(namespace: string | undefined, after: Key | undefined): string {
  if (namespace === undefined || after === undefined || after.namespace === namespace) return after?.name ?? '';
  // A key before the namespace cuts nothing off; one behind it, everything. No name is above this one.
  return after.namespace < namespace ? '' : '\u{10ffff}';
}

/** The left join's single row of nulls stands for no row at all. */
function listed(rows: TextRow[]): TextRow[] {
  return rows[0]?.[4] === null ? [] : rows;
}

function toPage(rows: TextRow[], from: number, asked: number): Page {
  return { rows: rows.map((row) => readRow(row, from)), last: rows.length < asked };
}

function remaining({ limit }: SnapshotRequest, counted: number | undefined): { remaining?: number } {
  return counted === undefined || limit === undefined ? {} : { remaining: Math.max(0, counted - limit) };
}

/** A borrowed connection, its transaction, and the time it may take. */
class Session {
  #open = true;
  #inTransaction = false;
  readonly #timer: NodeJS.Timeout;

  constructor(
    readonly connection: Connection,
    private readonly pool: Pool,
    timeout: number,
  ) {
    this.#timer = setTimeout(
      () => connection.destroy(new ConnectionLostError('the snapshot was read too slowly')),
      timeout,
    );
  }

  async begin(text: string): Promise<void> {
    this.#inTransaction = true;
    await this.connection.query(text);
  }

  async end(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    clearTimeout(this.#timer);
    try {
      if (this.#inTransaction && !this.connection.broken) await this.connection.query('ROLLBACK');
    } catch {
      this.connection.destroy();
    } finally {
      this.pool.release(this.connection);
    }
  }
}

/**
 * Pages of a snapshot, one fetched ahead of the reader. The connection goes back when the last page has arrived, when the
 * loop is left early, or when the snapshot's time is over.
 */
class Pages implements AsyncIterable<readonly Row[]>, AsyncIterator<readonly Row[]> {
  #left: number;
  #next: Promise<Page> | undefined;
  #finished: Promise<void> | undefined;

  constructor(
    private readonly session: Session,
    first: Page,
    private readonly fetch: Fetch,
    limit: number | undefined,
    private readonly options: CompleteOptions,
  ) {
    this.#left = limit ?? Number.POSITIVE_INFINITY;
    this.#next = Promise.resolve(first);
    if (first.last || first.rows.length >= this.#left) this.#finished = session.end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly Row[]>> {
    const arriving = this.#next;
    this.#next = undefined;
    if (!arriving) return this.return();
    try {
      const page = await arriving;
      this.#left -= page.rows.length;
      if (page.last || this.#left <= 0) this.#finished ??= this.session.end();
      else this.#fetchAhead(page.rows);
      if (page.rows.length === 0) return await this.return();
      return { done: false, value: page.rows };
    } catch (error) {
      await this.return();
      throw toStoreError(error, false);
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    const unread = this.#next;
    this.#next = undefined;
    await unread?.catch(() => undefined);
    this.#finished ??= this.session.end();
    await this.#finished;
    return { done: true, value: undefined };
  }

  #fetchAhead(rows: readonly Row[]): void {
    const bytes = rows.reduce((sum, row) => sum + row.body.length, 0);
    const fitting = Math.floor((this.options.pageBytes * rows.length) / Math.max(1, bytes));
    const size = Math.min(this.#left, Math.max(1, Math.min(fitting, 4 * this.options.pageRows)));
    this.#next = this.fetch(rows.at(-1), size);
    // Whoever awaits it sees the failure; until then it must not count as unhandled.
    this.#next.catch(() => undefined);
  }
}

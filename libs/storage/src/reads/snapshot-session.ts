import type { DatabaseConnection } from '../connections/connection.js';
import { ConnectionLostError, toStoreError } from '../connections/failures.js';
import type { Pool } from '../connections/pool.js';
import type { CompleteOptions } from '../face/options.js';
import type { Row } from '../face/store.js';
import type { CopyStream } from './copy-stream.js';
import { readCopiedRow } from './rows.js';

/** Bytes worth reading to keep a connection whose copy is not wanted any more; a new one costs about as much. */
const WORTH_DISCARDING = 4 << 20;

/** A borrowed connection, its transaction, and the time it may take. */
export class SnapshotSession {
  #open = true;
  #inTransaction = false;
  #copy: CopyStream<Row> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(
    readonly connection: DatabaseConnection,
    private readonly pool: Pool,
    private readonly options: CompleteOptions,
  ) {
    this.#timer = setTimeout(
      () => connection.destroy(new ConnectionLostError('the snapshot was read too slowly')),
      options.snapshotTimeout,
    );
  }

  /** Runs statements that begin a transaction; the rows of the last. */
  begin(text: string): Promise<(readonly (string | null)[])[]> {
    this.#inTransaction = true;
    return this.connection.query(text);
  }

  /** Runs statements that end in a copy of rows and the end of their transaction. */
  copy(text: string): CopyStream<Row> {
    this.#inTransaction = true;
    const { bodies, pageRows: rows, pageBytes: bytes } = this.options;
    const read = (message: Buffer, at: number) => readCopiedRow(message, at, bodies);
    this.#copy = this.connection.copy(text, read, { rows, bytes });
    return this.#copy;
  }

  /** Gives the connection back, cutting short what runs on it. */
  async end(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    try {
      if (this.#copy && !(await this.#copy.discard(WORTH_DISCARDING))) this.connection.destroy();
      if (this.#inTransaction && !this.connection.broken) await this.connection.query('ROLLBACK');
    } catch {
      this.connection.destroy();
    } finally {
      clearTimeout(this.#timer);
      this.pool.release(this.connection);
    }
  }

  /** Completes after the copy was read to its end, which ended the transaction. */
  async complete(): Promise<void> {
    this.#copy = undefined;
    this.#inTransaction = false;
    await this.end();
  }
}

/** Rows of a snapshot as they arrive. The connection goes back behind the last, or when the loop is left early. */
export class SnapshotPages implements AsyncIterable<readonly Row[]>, AsyncIterator<readonly Row[]> {
  #ended: Promise<void> | undefined;

  constructor(
    private readonly session: SnapshotSession,
    private readonly copy: CopyStream<Row>,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly Row[]>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      const rows = await this.copy.next();
      if (rows) return { done: false, value: rows };
      this.#ended ??= this.session.complete();
      await this.#ended;
      return { done: true, value: undefined };
    } catch (error) {
      await this.return();
      throw toStoreError(error, false);
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#ended ??= this.session.end();
    await this.#ended;
    return { done: true, value: undefined };
  }
}

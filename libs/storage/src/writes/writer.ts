import type { DatabaseConnection } from '../connections/connection.js';
import { isRetriable, sqlState, toStoreError } from '../connections/failures.js';
import type { Pool } from '../connections/pool.js';
import { StoreUnavailableError } from '../face/errors.js';
import type { TypeId } from '../face/key.js';
import { aroundBatches } from '../face/observer.js';
import type { CompleteOptions } from '../face/options.js';
import type { Change, SetOutcome, WriteOp, WriteOutcome } from '../face/store.js';
import type { Lineage } from '../maintenance/lineage.js';
import { ensurePartitions } from '../reads/history.js';
import {
  type BatchResult,
  batchParameters,
  COMMIT_CHARGED,
  checkSet,
  checkSingle,
  readBatchResult,
  typesOf,
} from './write-batch.js';
import { type Unit, type Verdicts, WriteQueue } from './write-queue.js';

/** Bytes that an op costs beside its body. */
const OVERHEAD = 200;

/** "no partition of relation found for row" is a check violation. */
const NO_PARTITION = '23514';

/** Outcomes of a unit's writes; see {@link BatchResult}. */
type Outcomes = readonly (WriteOutcome | undefined)[];

/**
 * Group commit: writes that arrive while a batch is in flight form the next. A batch is one call of one function, one
 * transaction, one flush to disk. No lane is held across a round trip, so a process that is paused or killed blocks no
 * other.
 */
export class Writer {
  readonly #queue: WriteQueue<Outcomes>;
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  namespaceType: TypeId = 0;
  accountType: TypeId = 0;

  /**
   * @param pool for batches that wait for lanes only briefly
   * @param lanes for those that wait as long as it takes
   */
  constructor(
    private readonly pool: Pool,
    private readonly lanes: Pool,
    private readonly lineage: Lineage,
    private readonly options: CompleteOptions,
  ) {
    const { batchItems: items, batchBytes: bytes, waiting, waitingBytes, acquireTimeout } = options;
    this.#queue = new WriteQueue((wait, take) => this.#run(wait, take), {
      items,
      bytes,
      waiting,
      waitingBytes,
      patience: acquireTimeout / 2,
    });
  }

  /** @throws StoreUnavailableError, or TypeError for what cannot be stored */
  async write(op: WriteOp): Promise<WriteOutcome> {
    checkSingle(op);
    const [outcome] = await this.#queue.add(unitOf([op], this.accountType));
    return outcome as WriteOutcome;
  }

  /** @throws StoreUnavailableError, or TypeError for what cannot be a set */
  async writeSet(ops: readonly WriteOp[]): Promise<SetOutcome> {
    checkSet(ops, this.namespaceType);
    const outcomes = await this.#queue.add(unitOf(ops, this.accountType));
    const versions = outcomes.flatMap((each) => (each?.outcome === 'committed' ? [each.version] : []));
    if (versions.length === ops.length) return { outcome: 'committed', versions };
    const item = outcomes.findIndex((each) => each !== undefined);
    const refusal = outcomes[item];
    if (!refusal || refusal.outcome === 'committed') throw new Error('the database carried out a part of a set');
    return { outcome: 'refused', item, refusal };
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  drained(): Promise<void> {
    return this.#queue.drained();
  }

  async #run(wait: boolean, take: () => readonly Unit[]): Promise<Verdicts<Outcomes>> {
    const pool = wait ? this.lanes : this.pool;
    const connection = await pool.acquire();
    const units = take();
    const work = () => this.#commit(connection, units, wait);
    try {
      const around = aroundBatches<Unit>(this.options.observer, 'write', ({ ops }) => ops[0]?.origin);
      if (!around) return await work();
      const now = performance.now();
      const waited = units.map(({ since }) => now - since);
      return await around(units, waited, work);
    } finally {
      pool.release(connection);
    }
  }

  async #commit(connection: DatabaseConnection, units: readonly Unit[], wait: boolean): Promise<Verdicts<Outcomes>> {
    try {
      const { units: verdicts, changes } = await this.#call(connection, units, wait);
      if (changes.length > 0) this.#announce(changes);
      return verdicts;
    } catch (error) {
      const failure = toStoreError(error, true);
      if (failure instanceof StoreUnavailableError || units.length === 1) return units.map(() => failure);
      // A write that cannot be stored at all has rolled back the others: retry each alone.
      const verdicts: (Outcomes | Error | undefined)[] = [];
      for (const unit of units) verdicts.push(...(await this.#commit(connection, [unit], wait)));
      return verdicts;
    }
  }

  async #call(connection: DatabaseConnection, units: readonly Unit[], wait: boolean): Promise<BatchResult> {
    const writes = units.map(({ ops }) => ops);
    const { lanePatience, bodies } = this.options;
    const { accountType } = this;
    const { parameters, amounts } = batchParameters(writes, wait ? null : lanePatience, this, bodies);
    for (let attempt = 1; ; attempt++) {
      try {
        const rows = await connection.statement('commit_charged', COMMIT_CHARGED, parameters);
        return readBatchResult(rows, writes, { amounts, accountType, codec: bodies });
      } catch (error) {
        if (attempt >= 3 || connection.broken) throw error;
        if (sqlState(error) === NO_PARTITION) await ensurePartitions(connection);
        else if (!isRetriable(error)) throw error;
      }
    }
  }

  #announce(changes: readonly Change[]): void {
    for (const change of changes) this.lineage.observe(change.type, change.version);
    for (const listener of this.#listeners) {
      try {
        listener(changes);
      } catch (error) {
        // The writes are committed whatever a listener does; its bug surfaces as an uncaught exception.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function unitOf(ops: readonly WriteOp[], accountType: TypeId): Unit {
  const bytes = ops.reduce((sum, { body, sealed = body }) => sum + sealed.length + OVERHEAD, 0);
  return { ops, types: typesOf(ops, accountType), bytes, since: performance.now() };
}

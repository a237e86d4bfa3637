import type { Connection, Parameter } from './connection.js';
import { isRetriable, sqlState, toStoreError } from './failures.js';
import { Gatherer } from './gatherer.js';
import { ensurePartitions } from './history.js';
import type { Lineage } from './lineage.js';
import { aroundBatches } from './observer.js';
import type { CompleteOptions } from './options.js';
import type { Pool } from './pool.js';
import { type Change, StoreUnavailableError, type TypeId, type WriteOp, type WriteOutcome } from './store.js';
import { type BatchResult, batchParameters, byType, checkOp, readBatchResult, WRITE_BATCH } from './write-batch.js';

/** Bytes that an op costs beside its body. */
const OVERHEAD = 200;

/** Writes that stand or fall together, in this order; one, most of the time. */
type Chain = readonly WriteOp[];

/** "no partition of relation found for row" is a check violation. */
const NO_PARTITION = '23514';

/**
 * Group commit: one batch of this process is in flight at a time, what arrives meanwhile forms the next. A batch is one call of
 * one function, one transaction, one flush to disk. No lane is held across a round trip, so a process that is paused or
 * killed holds up nobody.
 */
export class Writer {
  readonly #gatherer: Gatherer<Chain, readonly WriteOutcome[]>;
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  namespaceType: TypeId = 0;

  constructor(
    private readonly pool: Pool,
    private readonly lineage: Lineage,
    private readonly options: CompleteOptions,
  ) {
    this.#gatherer = new Gatherer((chains) => this.#commit(chains), {
      items: options.batchItems,
      bytes: options.batchBytes,
      sizeOf: (chain) => chain.reduce((bytes, op) => bytes + op.body.length + OVERHEAD, 0),
      waiting: options.waiting,
      around: aroundBatches(options.observer, 'write', ([op]: Chain) => op?.origin),
    });
  }

  /** @throws StoreUnavailableError, or TypeError for what cannot be stored */
  async write(op: WriteOp): Promise<WriteOutcome> {
    checkOp(op);
    const [outcome] = await this.#gatherer.add([op]);
    return outcome as WriteOutcome;
  }

  /** @throws StoreUnavailableError, or TypeError for what cannot be stored */
  async writeChain(ops: Chain): Promise<readonly WriteOutcome[]> {
    for (const op of ops) checkOp(op);
    return this.#gatherer.add(ops);
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  drained(): Promise<void> {
    return this.#gatherer.drained();
  }

  async #commit(chains: readonly Chain[]): Promise<readonly (readonly WriteOutcome[] | Error)[]> {
    try {
      const outcomes = await this.#commitTogether(chains.flat());
      let to = 0;
      return chains.map(({ length }) => {
        to += length;
        return outcomes.slice(to - length, to);
      });
    } catch (error) {
      const failure = toStoreError(error, true);
      if (failure instanceof StoreUnavailableError || chains.length === 1) return chains.map(() => failure);
      // One of them cannot be stored at all, and has rolled its neighbours back: each for itself.
      const alone: (readonly WriteOutcome[] | Error)[] = [];
      for (const chain of chains) alone.push(...(await this.#commit([chain])));
      return alone;
    }
  }

  async #commitTogether(ops: readonly WriteOp[]): Promise<WriteOutcome[]> {
    const { types, order } = byType(ops);
    const sorted = order.map((i) => ops[i] as WriteOp);
    const connection = await this.pool.acquire();
    let result: BatchResult;
    try {
      result = await this.#call(connection, types, sorted);
    } finally {
      this.pool.release(connection);
    }
    if (result.changes.length > 0) this.#announce(result.changes);
    const outcomes = new Array<WriteOutcome>(ops.length);
    order.forEach((position, i) => {
      outcomes[position] = result.outcomes[i] as WriteOutcome;
    });
    return outcomes;
  }

  async #call(connection: Connection, types: readonly TypeId[], ops: readonly WriteOp[]): Promise<BatchResult> {
    const parameters = batchParameters(types, ops, this.namespaceType);
    for (let attempt = 1; ; attempt++) {
      try {
        if (this.options.publishBeforeCommit) return await this.#publishBeforeCommit(connection, parameters, ops);
        return readBatchResult(await connection.statement('write_batch', WRITE_BATCH, parameters), ops);
      } catch (error) {
        if (attempt >= 3 || connection.broken) throw error;
        if (sqlState(error) === NO_PARTITION) await ensurePartitions(connection);
        else if (!isRetriable(error)) throw error;
      }
    }
  }

  /** The negative control: what is announced may still fail, and is not there yet. */
  async #publishBeforeCommit(
    connection: Connection,
    parameters: Parameter[],
    ops: readonly WriteOp[],
  ): Promise<BatchResult> {
    await connection.query('BEGIN');
    const result = readBatchResult(await connection.statement('write_batch', WRITE_BATCH, parameters), ops);
    this.#announce(result.changes);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await connection.query('COMMIT');
    return result;
  }

  #announce(changes: readonly Change[]): void {
    for (const change of changes) this.lineage.observe(change.type, change.version);
    for (const listener of this.#listeners) {
      try {
        listener(changes);
      } catch (error) {
        // The writes are committed whatever a listener makes of them; its defect surfaces as an uncaught exception.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

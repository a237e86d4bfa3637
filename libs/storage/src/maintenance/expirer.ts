import type { Pool } from '../connections/pool.js';
import type { TypeId, Version } from '../face/key.js';
import type { CompleteOptions } from '../face/options.js';
import type { Row, WriteOp, WriteOutcome } from '../face/store.js';
import { ExpiryQueue } from './expiry-queue.js';
import { Lease } from './lease.js';
import { Rounds } from './rounds.js';

/** Objects deleted at a time; few, as writers of the type wait behind them. Their bodies are bounded in bytes, too. */
const BATCH = 100;
/** Bounds of the pause between rounds, milliseconds; within them a twentieth of the time to live. */
const SHORTEST_PAUSE = 50;
const LONGEST_PAUSE = 30_000;
/** Milliseconds after which another process takes over from one that has died. */
const LEASE = 30_000;

// A version that the sequence was moved to has not been drawn yet.
const MARK = `
INSERT INTO version_mark (type, version, at)
SELECT $1, CASE WHEN is_called THEN last_value ELSE last_value - 1 END, clock_timestamp() FROM resource_version`;

const HORIZON = `
SELECT max(version), max(at)::text FROM version_mark
 WHERE type = $1 AND at <= clock_timestamp() - make_interval(secs => $2)`;

/** The part of the store that is needed here. */
interface ExpirerStore {
  write(op: WriteOp): Promise<WriteOutcome>;
}

/** Result of one round. */
export interface ExpiryRound {
  /** False when another process was expiring. */
  readonly ran: boolean;
  /** Number of objects deleted, by this process in this round. */
  readonly deleted: number;
}

/**
 * Deletes the objects of a type that have not been written for a time: one process at a time, in small batches with
 * rests between.
 *
 * The age of a version is derived from marks, which record the last version every now and then: only the database's
 * clock is used, and objects carry no time of their own. An object is deleted between its expiry and two rounds later;
 * time during which no server ran may be added. Expired objects are found by an index of their own ({@link
 * ExpiryQueue}).
 */
export class Expirer {
  readonly #rounds: Rounds;
  readonly #lease: Lease;
  readonly #queue: ExpiryQueue;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  /** @param timeToLive milliseconds */
  constructor(
    private readonly type: TypeId,
    private readonly timeToLive: number,
    private readonly store: ExpirerStore,
    private readonly pool: Pool,
    private readonly options: CompleteOptions,
  ) {
    const interval = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, timeToLive / 20));
    this.#rounds = new Rounds(() => this.runOnce(), { interval, random: options.random });
    this.#lease = new Lease(`expiry/${type}`, LEASE);
    this.#queue = new ExpiryQueue(type, pool, options.bodies);
  }

  /** Runs rounds until stopped; every process may, one at a time gets through. */
  start(): void {
    this.#stopped = false;
    this.#rounds.start();
  }

  /** Begins no more rounds and no more batches. Resolves when the work in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#rounds.stop();
  }

  /** Registers a listener for failed rounds, which are retried automatically. */
  onFailure(listener: (error: Error) => void): () => void {
    return this.#rounds.onFailure(listener);
  }

  /** @throws StoreUnavailableError */
  async runOnce(): Promise<ExpiryRound> {
    if (!(await this.#mayRun())) return { ran: false, deleted: 0 };
    try {
      const horizon = await this.#advance();
      await this.#queue.fill();
      return { ran: true, deleted: horizon === undefined ? 0 : await this.#deleteUpTo(horizon) };
    } finally {
      this.#leasedAt = Number.NEGATIVE_INFINITY;
      await this.pool.use((connection) => this.#lease.giveBack(connection)).catch(() => undefined);
    }
  }

  /** Renews the lease once a third of its duration has passed. */
  async #mayRun(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#leasedAt < LEASE / 3) return true;
    const taken = await this.pool.use((connection) => this.#lease.take(connection));
    if (taken) this.#leasedAt = now;
    return taken;
  }

  /** Records the last version of now. @returns the last version that was drawn long enough ago */
  #advance(): Promise<Version | undefined> {
    return this.pool.use(async (connection) => {
      await connection.query(MARK, [this.type]);
      const [row] = await connection.query(HORIZON, [this.type, this.timeToLive / 1000]);
      if (!row?.[0]) return undefined;
      await connection.query('DELETE FROM version_mark WHERE type = $1 AND at < $2::timestamptz', [
        this.type,
        row[1] ?? null,
      ]);
      return BigInt(row[0]);
    });
  }

  async #deleteUpTo(upTo: Version): Promise<number> {
    let deleted = 0;
    for (let more = true; more && !this.#stopped; ) {
      const began = performance.now();
      const due = await this.#queue.due(upTo, BATCH, this.options.batchBytes);
      const outcomes = await Promise.all(due.rows.map((row) => this.#delete(row)));
      deleted += outcomes.filter(({ outcome }) => outcome === 'committed').length;
      await this.#queue.drop(due.last);
      more = due.more;
      // Works half of the time at most.
      if (more) await new Promise((resolve) => setTimeout(resolve, performance.now() - began));
      if (more && !(await this.#mayRun())) break;
    }
    await this.#queue.rest();
    return deleted;
  }

  /** Deletes an object at the version that was read: one written meanwhile has not expired, and stays. */
  #delete({ namespace, name, version, storedVersion, defaults, body }: Row): Promise<WriteOutcome> {
    return this.store.write({ op: 'delete', type: this.type, namespace, name, version, storedVersion, defaults, body });
  }
}

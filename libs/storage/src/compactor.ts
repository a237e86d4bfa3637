import type { Connection } from './connection.js';
import { ensurePartitions, PARTITION_WIDTH } from './history.js';
import { Lease } from './lease.js';
import type { CompleteOptions } from './options.js';
import type { Pool } from './pool.js';
import { Rounds } from './rounds.js';
import { StoreUnavailableError } from './store.js';

/** Milliseconds after which another process takes over from one that has died. */
const LEASE = 60_000;

/** Milliseconds that writers may have to wait behind a drop that waits for a read of history. */
const PATIENCE = 50;

/**
 * A partition lasts at least one of so many parts of what is kept of history: beside a dump that takes hours nothing can be dropped, and
 * each read of changes locks every partition that there is.
 */
const FINENESS = 15;

/** What one round did. */
export interface CompactionRound {
  /** False when another process was at it. */
  readonly ran: boolean;
  /** Number of the partition that was closed, if any. */
  readonly sealed?: bigint;
  /** Numbers of the partitions dropped. */
  readonly dropped: readonly bigint[];
  /** Partitions due that had to stay because something was reading them; the next round tries again. */
  readonly busy: number;
}

const IDLE: CompactionRound = { ran: false, dropped: [], busy: 0 };

/** Keeps history bounded: creates partitions ahead, closes the current one about every minute, drops those past retention. */
export class Compactor {
  readonly #rounds: Rounds;
  readonly #lease = new Lease('compaction', LEASE);

  constructor(
    private readonly pool: Pool,
    private readonly options: CompleteOptions,
  ) {
    const { compactionInterval: interval, random } = options;
    this.#rounds = new Rounds(() => this.runOnce(), { interval, random });
  }

  /** Runs rounds until stopped; every process may, one at a time gets through. */
  start(): void {
    this.#rounds.start();
  }

  /** Begins no more rounds. Resolves when the one under way has ended. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Hears of rounds that failed; they are tried again by themselves. */
  onFailure(listener: (error: Error) => void): () => void {
    return this.#rounds.onFailure(listener);
  }

  /**
   * One round.
   * @param now milliseconds since 1970 to judge ages by; default the database's clock, so that clocks of servers don't matter
   * @throws StoreUnavailableError
   */
  runOnce(now?: number): Promise<CompactionRound> {
    return this.pool.use(async (connection) => {
      if (!(await this.#lease.take(connection))) return IDLE;
      try {
        await ensurePartitions(connection);
        await connection.query('SELECT trim_heads()');
        const sealed = await this.#seal(connection, now);
        return { ran: true, ...(sealed === undefined ? {} : { sealed }), ...(await this.#drop(connection, now)) };
      } finally {
        await this.#lease.giveBack(connection);
      }
    });
  }

  /** Notes when partitions were opened and left behind, and leaves the current one if it is old enough and holds anything. */
  async #seal(connection: Connection, now: number | undefined): Promise<bigint | undefined> {
    await this.#note(connection, now);
    const age = `(${clock(now)} - (SELECT min(sealed_at) FROM history_partition))`;
    const [row] = await connection.query(
      `SELECT p.number FROM history_partition p, resource_version s
        WHERE p.number = s.last_value / ${PARTITION_WIDTH} AND s.last_value % ${PARTITION_WIDTH} < ${(PARTITION_WIDTH * 9n) / 10n}
          AND p.opened_at <= ${clock(now)} - greatest(make_interval(secs => $1), ${age} / ${FINENESS})
          AND (SELECT max(t.head) FROM resource_type t) >= p.number * ${PARTITION_WIDTH}`,
      [this.options.partitionInterval / 1000],
    );
    if (!row?.[0]) return undefined;
    const number = BigInt(row[0]);
    // Writers draw meanwhile, but cannot get past the target: a tenth of a partition is left.
    await connection.query('SELECT advance_versions($1)', [(number + 1n) * PARTITION_WIDTH]);
    await ensurePartitions(connection);
    await this.#note(connection, now);
    return number;
  }

  async #note(connection: Connection, now: number | undefined): Promise<void> {
    const current = `(SELECT last_value / ${PARTITION_WIDTH} FROM resource_version)`;
    await connection.query(
      `UPDATE history_partition p
          SET opened_at = coalesce(p.opened_at, ${clock(now)}),
              sealed_at = CASE WHEN p.number < ${current} THEN ${clock(now)} END
        WHERE p.sealed_at IS NULL AND (p.number < ${current} OR p.number = ${current} AND p.opened_at IS NULL)`,
    );
  }

  async #drop(connection: Connection, now: number | undefined): Promise<{ dropped: bigint[]; busy: number }> {
    const due = await connection.query(
      `SELECT number FROM history_partition
        WHERE sealed_at <= ${clock(now)} - make_interval(secs => $1) ORDER BY number`,
      [this.options.retention / 1000],
    );
    const dropped: bigint[] = [];
    for (const [number] of due) {
      try {
        await connection.query('SELECT drop_history_partition($1, $2)', [number ?? null, PATIENCE]);
        dropped.push(BigInt(number ?? 0));
      } catch (error) {
        if (connection.broken) throw error;
        // A read of history is under way. Older partitions go first, so the rest waits too.
        return { dropped, busy: due.length - dropped.length };
      }
    }
    return { dropped, busy: 0 };
  }
}

function clock(now: number | undefined): string {
  if (now === undefined) return 'now()';
  if (!Number.isFinite(now)) throw new StoreUnavailableError('not a time', false);
  return `to_timestamp(${now / 1000})`;
}

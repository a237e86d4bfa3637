import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';
import { StoreUnavailableError } from '../face/errors.js';
import type { CompleteOptions } from '../face/options.js';
import { ensurePartitions, PARTITION_WIDTH } from '../reads/history.js';
import { Lease } from './lease.js';
import { type DropReport, PartitionDrops } from './partition-drops.js';
import { Rounds } from './rounds.js';

/** Milliseconds after which another process takes over from one that has died. */
const LEASE = 60_000;

/**
 * A partition lasts at least this fraction (1/n) of the history's retention: while a long dump runs no partition can be
 * dropped, and each read of changes locks every partition that exists.
 */
const FINENESS = 15;

/** Result of one round. */
export interface CompactionRound extends DropReport {
  /** False when another process was compacting. */
  readonly ran: boolean;
  /** Number of the partition that was closed, if any. */
  readonly sealed?: bigint;
  /** Milliseconds by which the oldest change exceeds the retention after the round; 0 when none does. */
  readonly overdue: number;
  /** Bounds of the history after the round; undefined when another process was compacting. */
  readonly bounds?: HistoryBounds;
}

/** Bounds of the history. None of these ever falls. */
export interface HistoryBounds {
  /** The newest drawn version. */
  readonly newest: bigint;
  /** The first version without a partition yet: writes fail there. */
  readonly end: bigint;
  /** Time of the first change in the oldest partition that is left, milliseconds since 1970; absent where it was not noted. */
  readonly oldestOpened?: number;
  /** Time of the first change in the newest partition, milliseconds since 1970; absent where it was not noted. */
  readonly newestOpened?: number;
}

const IDLE: CompactionRound = { ran: false, dropped: [], left: [], busy: 0, overdue: 0 };

/** Keeps history bounded: creates partitions ahead, closes the current one about every minute, drops those past retention. */
export class Compactor {
  readonly #rounds: Rounds;
  readonly #lease = new Lease('compaction', LEASE);
  readonly #drops = new PartitionDrops();
  readonly #listeners = new Set<(round: CompactionRound) => void>();

  constructor(
    private readonly pool: Pool,
    private readonly options: CompleteOptions,
  ) {
    const { compactionInterval: interval, random } = options;
    this.#rounds = new Rounds(() => this.runOnce(), { interval, random });
  }

  /** Runs rounds until stopped; every process may, but one at a time does. */
  start(): void {
    this.#rounds.start();
  }

  /** Stops after the round in progress, and resolves when it has ended. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Registers a listener for failed rounds, which are retried automatically. */
  onFailure(listener: (error: Error) => void): () => void {
    return this.#rounds.onFailure(listener);
  }

  /** Registers a listener for every round, also for rounds that failed in part. Returns a function that removes it. */
  onRound(listener: (round: CompactionRound) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs one round.
   * @param now milliseconds since 1970 to judge ages by; default the database's clock, so that clocks of servers don't
   * matter
   * @throws StoreUnavailableError
   */
  runOnce(now?: number): Promise<CompactionRound> {
    return this.pool.use(async (connection) => {
      if (!(await this.#lease.take(connection))) return this.#tell(IDLE);
      try {
        return await this.#round(connection, now);
      } finally {
        await this.#lease.giveBack(connection);
      }
    });
  }

  /** Drops partitions that are due even when the preceding steps failed: when the disk is full, only dropping helps. */
  async #round(connection: DatabaseConnection, now: number | undefined): Promise<CompactionRound> {
    const failures: unknown[] = [];
    const attempt = async <T>(step: Promise<T>): Promise<T | undefined> => {
      try {
        return await step;
      } catch (error) {
        if (connection.broken) throw error;
        failures.push(error);
        return undefined;
      }
    };
    await attempt(ensurePartitions(connection));
    await attempt(connection.query('SELECT trim_heads()'));
    const sealed = await attempt(this.#seal(connection, now));
    const report = await this.#drops.run(connection, await this.#due(connection, now));
    const overdue = await this.#overdue(connection, now);
    const bounds = await boundsOf(connection);
    const round = this.#tell({ ran: true, ...(sealed === undefined ? {} : { sealed }), ...report, overdue, bounds });
    if (failures.length > 0) throw failures[0];
    return round;
  }

  #tell(round: CompactionRound): CompactionRound {
    for (const listener of this.#listeners) listener(round);
    return round;
  }

  /**
   * Records when partitions were opened and closed, and closes the current one if it is old enough and not empty. It
   * stays open when the next one could not be made, as writes would fail.
   */
  async #seal(connection: DatabaseConnection, now: number | undefined): Promise<bigint | undefined> {
    await this.#note(connection, now);
    const [row] = await connection.query(
      `SELECT p.number FROM history_partition p, resource_version s
        WHERE p.number = s.last_value / ${PARTITION_WIDTH} AND s.last_value % ${PARTITION_WIDTH} < ${(PARTITION_WIDTH * 9n) / 10n}
          AND p.opened_at <= ${clock(now)} - ${longest(now)}
          AND EXISTS (SELECT FROM history_partition n WHERE n.number = p.number + 1)
          AND (SELECT max(t.head) FROM resource_type t) >= p.number * ${PARTITION_WIDTH}`,
      [this.options.partitionInterval / 1000],
    );
    if (!row?.[0]) return undefined;
    const number = BigInt(row[0]);
    // Writers draw meanwhile, but cannot pass the target: a tenth of a partition is left.
    await connection.query('SELECT advance_versions($1)', [(number + 1n) * PARTITION_WIDTH]);
    await ensurePartitions(connection);
    await this.#note(connection, now);
    return number;
  }

  async #note(connection: DatabaseConnection, now: number | undefined): Promise<void> {
    const current = `(SELECT last_value / ${PARTITION_WIDTH} FROM resource_version)`;
    await connection.query(
      `UPDATE history_partition p
          SET opened_at = coalesce(p.opened_at, ${clock(now)}),
              sealed_at = CASE WHEN p.number < ${current} THEN ${clock(now)} END
        WHERE p.sealed_at IS NULL AND (p.number < ${current} OR p.number = ${current} AND p.opened_at IS NULL)`,
    );
  }

  /** Numbers of the partitions past retention. */
  async #due(connection: DatabaseConnection, now: number | undefined): Promise<bigint[]> {
    const due = await connection.query(
      `SELECT number FROM history_partition
        WHERE sealed_at <= ${clock(now)} - make_interval(secs => $1) ORDER BY number`,
      [this.options.retention / 1000],
    );
    return due.map(([number]) => BigInt(number ?? 0));
  }

  /** A non-empty partition that was not closed in time is overdue from when it should have been closed. */
  async #overdue(connection: DatabaseConnection, now: number | undefined): Promise<number> {
    const [row] = await connection.query(
      `SELECT max(extract(epoch FROM ${clock(now)} - coalesce(p.sealed_at, p.opened_at + ${longest(now)})))
         FROM history_partition p
        WHERE p.sealed_at IS NOT NULL
           OR (SELECT max(t.head) FROM resource_type t) >= p.number * ${PARTITION_WIDTH}`,
      [this.options.partitionInterval / 1000],
    );
    return Math.max(0, Number(row?.[0] ?? 0) * 1000 - this.options.retention);
  }
}

async function boundsOf(connection: DatabaseConnection): Promise<HistoryBounds> {
  const [row] = await connection.query(
    `SELECT s.last_value, (max(p.number) + 1) * ${PARTITION_WIDTH},
            extract(epoch FROM (array_agg(p.opened_at ORDER BY p.number))[1]), extract(epoch FROM max(p.opened_at))
       FROM resource_version s, history_partition p GROUP BY s.last_value`,
  );
  const [newest, end, oldestOpened, newestOpened] = row ?? [];
  return {
    ...{ newest: BigInt(newest ?? 0), end: BigInt(end ?? 0) },
    ...(oldestOpened && { oldestOpened: Number(oldestOpened) * 1000 }),
    ...(newestOpened && { newestOpened: Number(newestOpened) * 1000 }),
  };
}

/**
 * SQL for the longest time that a partition may take changes, from the parameter and from the age of the retained
 * history. A partition that still exists although a later one was dropped is ignored, as are those before it: they
 * cannot be dropped, others can.
 */
const longest = (now: number | undefined): string => `greatest(make_interval(secs => $1), (
  ${clock(now)} - (
    SELECT min(k.sealed_at) FROM history_partition k
     WHERE k.number > coalesce((
       SELECT max(g.number) FROM history_partition g
        WHERE g.sealed_at IS NOT NULL AND NOT EXISTS (SELECT FROM history_partition n WHERE n.number = g.number + 1)), -1)
  )) / ${FINENESS})`;

function clock(now: number | undefined): string {
  if (now === undefined) return 'now()';
  if (!Number.isFinite(now)) throw new StoreUnavailableError('not a time', false);
  return `to_timestamp(${now / 1000})`;
}

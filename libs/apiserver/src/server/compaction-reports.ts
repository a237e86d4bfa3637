import type { Clock, Logger } from '@orch/runtime';
import type { CompactionRound, Compactor, LeftPartition } from '@orch/storage';
import type { CompactionSeries } from '../metrics/compaction-metrics.js';

/** Milliseconds after which a lasting problem is logged again. */
const REPEAT_MS = 600_000;
/** Milliseconds for which gauges show the last round of this process though another process makes the rounds now. */
const KEPT_MS = 120_000;
/** Milliseconds for which another session, as a backup, may lock a partition before that is logged. */
const LOCKED_MS = 600_000;

interface CompactionReportSettings {
  readonly compactor: Pick<Compactor, 'onRound' | 'onFailure'>;
  /** Number of the database: 0 is the main one. */
  readonly database: number;
  readonly series: CompactionSeries;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface Report {
  readonly since: number;
  loggedAt: number | undefined;
}

/**
 * Logs and counts obstacles to the compaction of one database's history, which grows meanwhile: an error of the
 * database at once, a lock once it has lasted for ten minutes, and both again every ten minutes.
 */
export class CompactionReports {
  readonly #left = new Map<bigint, Report>();
  #ranAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly settings: CompactionReportSettings) {
    const { compactor, series, logger, database } = settings;
    compactor.onRound((round) => this.#heard(round));
    compactor.onFailure((error) => {
      series.failed();
      logger.error('compaction of history failed', error, { database });
    });
  }

  #heard(round: CompactionRound): void {
    const { clock, series } = this.settings;
    const now = clock.now();
    if (round.ran) this.#ranAt = now;
    // Processes take turns: at any time one of them reports.
    if (round.ran || now - this.#ranAt >= KEPT_MS) series.round(round);
    if (!round.ran) return;
    for (const number of this.#left.keys()) if (!round.left.some((each) => each.number === number)) this.#gone(number);
    for (const each of round.left) this.#stands(each, round.overdue);
  }

  #stands(partition: LeftPartition, overdue: number): void {
    const { clock, logger, database } = this.settings;
    const now = clock.now();
    const { number } = partition;
    const report = this.#left.get(number) ?? { since: now, loggedAt: undefined };
    this.#left.set(number, report);
    if (partition.locked && now - report.since < LOCKED_MS) return;
    if (report.loggedAt !== undefined && now - report.loggedAt < REPEAT_MS) return;
    report.loggedAt = now;
    logger.error('a partition of history could not be dropped', new Error(partition.reason), {
      ...{ database, partition: `change_${number}`, attempts: partition.attempts },
      overdueSeconds: Math.round(overdue / 1000),
    });
  }

  #gone(number: bigint): void {
    const { logger, database } = this.settings;
    const logged = this.#left.get(number)?.loggedAt !== undefined;
    this.#left.delete(number);
    if (logged) logger.info('a partition of history was dropped', { database, partition: `change_${number}` });
  }
}

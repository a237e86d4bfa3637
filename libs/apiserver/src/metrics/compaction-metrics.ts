import type { Metrics } from '@orch/runtime';
import type { CompactionRound, HistoryBounds } from '@orch/storage';

/** Gauges and counters of the compaction of one database's history. */
export interface CompactionSeries {
  /** Records a round that ended. */
  round(round: CompactionRound): void;
  /** Counts a round that failed, as a whole or in one of its steps. */
  failed(): void;
}

/** Metrics of the compaction of all databases, each known by its number: 0 is the main one. */
export function compactionMetrics(metrics: Metrics): (database: number) => CompactionSeries {
  const labels = ['database'] as const;
  const overdue = metrics.gauge({
    name: 'orch_history_overdue_seconds',
    help: 'Time for which the oldest history has been kept beyond --history-retention, if this process made the last compaction round.',
    labels,
  });
  const left = metrics.gauge({
    name: 'orch_history_partitions_left',
    help: 'Number of partitions of history beyond --history-retention that could not be dropped, by cause: locked by another session, or refused by the database.',
    labels: ['database', 'cause'] as const,
  });
  const rounds = metrics.counter({
    name: 'orch_history_compaction_rounds_total',
    help: 'Number of compaction rounds of this process. Only one process compacts at a time.',
    labels,
  });
  const failures = metrics.counter({
    name: 'orch_history_compaction_failures_total',
    help: 'Number of failed compaction rounds.',
    labels,
  });
  const boundsOf = historyBounds(metrics);
  return (database) => {
    const name = String(database);
    const [locked, refused] = [left.with(name, 'locked'), left.with(name, 'refused')];
    const failed = failures.with(name);
    const ran = rounds.with(name);
    const age = overdue.with(name);
    const setBounds = boundsOf(name);
    return {
      round(round) {
        if (round.ran) ran.inc();
        age.set(round.overdue / 1000);
        if (round.bounds) setBounds(round.bounds);
        locked.set(round.left.filter((each) => each.locked).length);
        refused.set(round.left.filter((each) => !each.locked).length);
      },
      failed: () => failed.inc(),
    };
  };
}

/**
 * Gauges that a process keeps from its last round on: none of them falls, so of several processes the largest is right.
 */
function historyBounds(metrics: Metrics): (database: string) => (bounds: HistoryBounds) => void {
  const labels = ['database'] as const;
  const newest = metrics.gauge({
    name: 'orch_history_newest_version',
    help: "Newest version that was assigned, as of this process's last compaction round.",
    labels,
  });
  const end = metrics.gauge({
    name: 'orch_history_end_version',
    help: "First version for which history has no partition yet, as of this process's last compaction round.",
    labels,
  });
  const opened = metrics.gauge({
    name: 'orch_history_partition_opened_timestamp_seconds',
    help: "Time at which the oldest and the newest partition of history received their first changes, as of this process's last compaction round.",
    labels: ['database', 'partition'] as const,
  });
  return (database) => (bounds) => {
    newest.with(database).set(Number(bounds.newest));
    end.with(database).set(Number(bounds.end));
    const { oldestOpened, newestOpened } = bounds;
    if (oldestOpened !== undefined) opened.with(database, 'oldest').set(oldestOpened / 1000);
    if (newestOpened !== undefined) opened.with(database, 'newest').set(newestOpened / 1000);
  };
}

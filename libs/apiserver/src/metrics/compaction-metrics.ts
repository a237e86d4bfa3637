import type { Metrics } from '@orch/runtime';
import type { CompactionRound } from '@orch/storage';

/** Gauges and counters of the compaction of one database's history. */
export interface CompactionSeries {
  /** Of a round that ended. */
  round(round: CompactionRound): void;
  /** Of one that failed, as a whole or in one of its steps. */
  failed(): void;
}

/** Metrics of the compaction of all databases, each known by its number: 0 is the main one. */
export function compactionMetrics(metrics: Metrics): (database: number) => CompactionSeries {
  const labels = ['database'] as const;
  const overdue = metrics.gauge({
    name: 'orch_history_overdue_seconds',
    help: 'How long the oldest history has been kept beyond --history-retention, where this process made the last round of compaction.',
    labels,
  });
  const left = metrics.gauge({
    name: 'orch_history_partitions_left',
    help: 'Partitions of history beyond --history-retention that could not be dropped, by the cause: locked by somebody, or refused by the database.',
    labels: ['database', 'cause'] as const,
  });
  const rounds = metrics.counter({
    name: 'orch_history_compaction_rounds_total',
    help: 'Rounds of compaction that this process made. One of all processes makes them at a time.',
    labels,
  });
  const failures = metrics.counter({
    name: 'orch_history_compaction_failures_total',
    help: 'Rounds of compaction that failed.',
    labels,
  });
  return (database) => {
    const name = String(database);
    const [locked, refused] = [left.with(name, 'locked'), left.with(name, 'refused')];
    const failed = failures.with(name);
    const ran = rounds.with(name);
    const age = overdue.with(name);
    return {
      round(round) {
        if (round.ran) ran.inc();
        age.set(round.overdue / 1000);
        locked.set(round.left.filter((each) => each.locked).length);
        refused.set(round.left.filter((each) => !each.locked).length);
      },
      failed: () => failed.inc(),
    };
  };
}

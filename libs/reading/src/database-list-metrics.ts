import type { Metrics } from '@orch/runtime';
import type { ListGate } from './list-gate.js';
import type { WindowMemory } from './window-memory.js';

const NONE = [] as const;

/** Bounds on lists that read from the database: how many run at a time, and the bytes that they read ahead. */
export interface DatabaseLists {
  /** Admits lists to the database. */
  readonly gate: Pick<ListGate, 'stats'>;
  /** Bytes that lists have read ahead. */
  readonly memory: Pick<WindowMemory, 'held'>;
}

/** Observes the lists that read from the database, and the bytes that they have read ahead. */
export function observeDatabaseLists(metrics: Metrics, { gate, memory }: DatabaseLists): void {
  metrics.observedGauge(
    {
      name: 'orch_database_lists',
      help: 'Number of lists that read from the database (reading) and that wait for a place (waiting).',
      labels: ['state'] as const,
    },
    () => Object.entries(gate.stats()).map(([state, lists]) => [[state], lists] as const),
  );
  metrics.observedGauge(
    {
      name: 'orch_list_window_bytes',
      help: 'Memory reserved for rows that lists have read from the database ahead of slow clients, in bytes.',
      labels: NONE,
    },
    () => [[NONE, memory.held]],
  );
}

/** Declares every metric of this package, for their reference. */
export const readingMetrics = (metrics: Metrics): void =>
  observeDatabaseLists(metrics, { gate: { stats: () => ({ reading: 0, waiting: 0 }) }, memory: { held: 0 } });

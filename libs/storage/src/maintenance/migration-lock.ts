import type { DatabaseConnection } from '../connections/connection.js';
import type { StoreObserver } from '../face/observer.js';

/** Key of the advisory lock under which one process migrates. */
export const MIGRATION_LOCK = 1719283746;

/**
 * Milliseconds for which a statement of a migration is waited for: the longest that a timer takes, 24 days. It may
 * build an index over all objects. A dead server is noticed all the same: the connection's TCP keep-alive ends it after
 * 15 s.
 */
export const MIGRATION_ANSWER_TIMEOUT = 2 ** 31 - 1;

/** Milliseconds between checks whether the lock is free. */
const POLL = 100;
/** Milliseconds between progress reports. */
const REPORT = 10_000;

/** The schema being migrated, and the observer of its progress. */
export interface MigrationReports {
  readonly schema: string;
  readonly observer: Pick<StoreObserver, 'migration'>;
}

/**
 * Begins a transaction that holds the lock under which one process migrates. While another process holds it this waits,
 * however long its migration takes, outside of a transaction, as an open snapshot would keep dead rows from being
 * removed. The lock of a process that dies is released, and the database ends a session that leaves its transaction
 * idle.
 * @throws the driver's error
 */
export async function beginUnderMigrationLock(
  connection: DatabaseConnection,
  reports: MigrationReports,
): Promise<void> {
  const began = performance.now();
  for (let reported = Number.NEGATIVE_INFINITY; ; ) {
    // Migrations may take longer than a statement of the running system is allowed to.
    await connection.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
    const [row] = await connection.query(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK})`);
    if (row?.[0] === 't') return;
    await connection.query('ROLLBACK');
    const now = performance.now();
    if (now - reported >= REPORT) {
      reported = now;
      reports.observer.migration?.({ schema: reports.schema, state: 'waits', ms: now - began });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
}

/** Runs one migration, and reports when it begins, every ten seconds while it lasts, and when it has ended. */
export async function reporting<T>(
  name: string,
  { schema, observer }: MigrationReports,
  run: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const report = (state: 'begins' | 'lasts' | 'ended') =>
    observer.migration?.({ schema, name, state, ms: performance.now() - began });
  report('begins');
  const timer = setInterval(() => report('lasts'), REPORT);
  try {
    const result = await run();
    report('ended');
    return result;
  } finally {
    clearInterval(timer);
  }
}

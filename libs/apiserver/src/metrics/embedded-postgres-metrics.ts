import type { Logger, Metrics } from '@orch/runtime';

/** Logs and counts the ends and starts of the embedded PostgreSQL of a process. */
export function embeddedPostgresObserver(metrics: Metrics, logger: Logger) {
  const up = metrics
    .gauge({
      name: 'orch_embedded_postgres_up',
      help: '1 if the embedded PostgreSQL of this process runs, 0 if it is about to be restarted.',
      labels: [] as const,
    })
    .with();
  const ends = metrics
    .counter({
      name: 'orch_embedded_postgres_ends_total',
      help: 'Number of times that the embedded PostgreSQL of this process ended unexpectedly.',
      labels: [] as const,
    })
    .with();
  const failures = metrics
    .counter({
      name: 'orch_embedded_postgres_start_failures_total',
      help: 'Number of failed attempts to restart the embedded PostgreSQL of this process.',
      labels: [] as const,
    })
    .with();
  up.set(1);
  return {
    ended(pid: number) {
      up.set(0);
      ends.inc();
      logger.warn('the embedded PostgreSQL has ended and is being restarted', { pid });
    },
    startFailed(error: Error, pause: number, outOfSpace: boolean) {
      failures.inc();
      logger.error('the embedded PostgreSQL could not be started', error, { nextAttemptMs: pause, outOfSpace });
    },
    restarted(pid: number) {
      up.set(1);
      logger.info('the embedded PostgreSQL is running again', { pid });
    },
  };
}

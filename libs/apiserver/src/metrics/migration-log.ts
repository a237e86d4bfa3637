import type { Logger } from '@orch/runtime';
import type { MigrationStep } from '@orch/storage';

/** Logs the progress of a schema's migration, so that operators see why a server is not ready yet. */
export const migrationLog =
  (logger: Logger) =>
  ({ schema, name, state, ms }: MigrationStep): void => {
    const fields = { schema, migration: name, seconds: Math.round(ms / 1000) };
    if (state === 'waits') logger.warn('another process is migrating the database schema: waiting', fields);
    else logger.info(MESSAGES[state], fields);
  };

const MESSAGES = {
  begins: 'a migration of the database has begun',
  lasts: 'a migration of the database is in progress',
  ended: 'a migration of the database has ended',
} as const;

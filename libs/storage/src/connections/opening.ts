import { StoreUnavailableError } from '../face/errors.js';
import type { CompleteOptions } from '../face/options.js';
import { IncompatibleDatabaseError } from '../maintenance/migrate.js';
import type { ConnectionSettings, DatabaseConnection } from './connection.js';
import { parseDatabaseUrl } from './connection-url.js';
import { type Connector, isPermanent } from './connector.js';

/** Returns the settings of a store's connections. @throws TypeError for an invalid URL */
export function connectionSettings(options: CompleteOptions): ConnectionSettings {
  return {
    ...options,
    address: parseDatabaseUrl(options.url),
    idleTransactionTimeout: options.statementTimeout,
  };
}

/**
 * Connects; retries for this long while the database is unavailable. @throws IncompatibleDatabaseError,
 * StoreUnavailableError
 */
export async function connectWithin(connector: Connector, timeout: number): Promise<DatabaseConnection> {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await connector.connect();
    } catch (error) {
      if (error instanceof IncompatibleDatabaseError) throw error;
      if (isPermanent(error) || performance.now() > deadline) {
        throw new StoreUnavailableError(`cannot open the database: ${(error as Error).message}`, false, {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

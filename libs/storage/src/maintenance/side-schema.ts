import type { ConnectionSettings, DatabaseConnection, SqlParameter } from '../connections/connection.js';
import { Connector } from '../connections/connector.js';
import { Pool, type PoolOptions } from '../connections/pool.js';
import type { TextRow } from '../reads/text-row.js';
import { IncompatibleDatabaseError, isComplete, type Migration, migrateSchema } from './migrate.js';

/** Options for reaching it, and for an outdated schema. */
interface SideSchemaOptions extends Omit<PoolOptions, 'size'> {
  /** Whether it is created and migrated, rather than refused. */
  readonly migrates: boolean;
}

/** A schema beside the store's, over one connection; its tables are created on first use. */
export class SideSchema {
  readonly #pool: Pool;
  #migrated = false;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly migrations: readonly Migration[],
    private readonly options: SideSchemaOptions,
  ) {
    const connector = new Connector(settings, (connection) => this.#migrate(connection));
    this.#pool = new Pool(() => connector.connect(), { ...options, size: 1 });
  }

  /** Runs one statement. @throws StoreUnavailableError when the database is unavailable; the driver's error */
  query(text: string, values: readonly SqlParameter[]): Promise<TextRow[]> {
    return this.#pool.use((connection) => connection.query(text, values));
  }

  /**
   * Creates it, or checks whether it can be used. An unavailable database is no error: statements will fail. @throws
   * IncompatibleDatabaseError
   */
  async open(): Promise<void> {
    try {
      await this.query('SELECT 1', []);
    } catch (error) {
      const { cause } = error as Error;
      for (const each of [error, cause]) if (each instanceof IncompatibleDatabaseError) throw each;
    }
  }

  /** Closes its connection; further statements fail. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #migrate(connection: DatabaseConnection): Promise<void> {
    if (this.#migrated) return;
    const { schema } = this.settings;
    if (!(await isComplete(connection, schema, this.migrations, this.options.migrates)))
      await migrateSchema(
        connection,
        { schema, observer: this.options.observer ?? {} },
        this.migrations,
        async () => undefined,
      );
    this.#migrated = true;
  }
}

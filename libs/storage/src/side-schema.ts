import type { Connection, ConnectionSettings, Parameter } from './connection.js';
import { Connector } from './connector.js';
import { IncompatibleDatabaseError, isComplete, type Migration, migrateSchema } from './migrate.js';
import { Pool, type PoolOptions } from './pool.js';
import type { TextRow } from './text-row.js';

/** How it is reached, and treated where it lacks something. */
interface SideSchemaOptions extends Omit<PoolOptions, 'size'> {
  /** Whether it is made and migrated, rather than refused. */
  readonly migrates: boolean;
}

/** A schema of its own beside the store's, over one connection; its tables are made when it is first used. */
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
  query(text: string, values: readonly Parameter[]): Promise<TextRow[]> {
    return this.#pool.use((connection) => connection.query(text, values));
  }

  /** Makes it, or looks whether it can be used. A database that is away is no error: statements find out. @throws IncompatibleDatabaseError */
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

  async #migrate(connection: Connection): Promise<void> {
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

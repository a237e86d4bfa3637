import type { DatabaseConnection } from '../connections/connection.js';
import { Connector } from '../connections/connector.js';
import { connectionSettings, connectWithin } from '../connections/opening.js';
import type { StoreObserver } from '../face/observer.js';
import { completeOptions } from '../face/options.js';
import {
  IncompatibleDatabaseError,
  type Installation,
  type Migration,
  migrateSchema,
  newestOf,
  PATIENCE,
  patiently,
  recordInstallation,
  shippedMigrations,
} from '../maintenance/migrate.js';
import { beginUnderMigrationLock, MIGRATION_ANSWER_TIMEOUT } from '../maintenance/migration-lock.js';
import { literal } from '../reads/snapshot-sql.js';
import { type RoleNames, type SchemaRights, STORE_RIGHTS } from './rights.js';
import { rightsScript } from './rights-script.js';
import type { RoledSchema } from './roles-script.js';

/** Default schema of the state. */
export const STORE_SCHEMA = 'cluster';

/** A database, with an administrator's access to it. */
export interface Administered {
  /** Same as {@link StoreOptions.url}. */
  readonly url: string;
  /** Milliseconds to wait for tables that are in use; default 60,000. */
  readonly patience?: number;
  /** Notified of migrations' progress, and when a migration by another process is waited for. */
  readonly observer?: Pick<StoreObserver, 'migration'>;
}

const PATIENCE_WITH_TABLES = 60_000;

/**
 * Runs a script in one transaction, while no migration runs.
 * @throws StoreUnavailableError when the database cannot be reached; the driver's error, and then nothing is changed
 */
export function runScript(database: Administered, script: string): Promise<void> {
  return withConnection(database, (connection) =>
    patiently(database.patience ?? PATIENCE_WITH_TABLES, async () => {
      await beginUnderMigrationLock(connection, { schema: STORE_SCHEMA, observer: database.observer ?? {} });
      try {
        await connection.query(`SET LOCAL lock_timeout = ${PATIENCE}`);
        await connection.query(script, undefined, MIGRATION_ANSWER_TIMEOUT);
        await connection.query('COMMIT');
      } catch (error) {
        if (!connection.broken) await connection.query('ROLLBACK');
        throw error;
      }
    }),
  );
}

/**
 * Lists the other databases of the same PostgreSQL in which roles have rights or own something, by name: roles are
 * shared by all of them, and whoever can log in as one may enter each.
 * @throws StoreUnavailableError when the database cannot be reached; the driver's error
 */
export function databasesOf(database: Administered, { migrator, apiServer, gateway }: RoleNames): Promise<string[]> {
  const names = [migrator, apiServer, gateway].map(literal).join(', ');
  return withConnection(database, async (connection) => {
    const rows = await connection.query(
      `SELECT DISTINCT d.datname FROM pg_shdepend s JOIN pg_database d ON d.oid = s.dbid JOIN pg_roles r ON r.oid = s.refobjid
        WHERE s.refclassid = 'pg_authid'::regclass AND r.rolname IN (${names}) AND d.datname <> current_database()
          AND NOT r.rolsuper ORDER BY 1`,
    );
    return rows.map(([name]) => name ?? '');
  });
}

/** The schema of the state, for {@link rolesScript}. */
export async function storeSchema(): Promise<RoledSchema> {
  return { name: STORE_SCHEMA, rights: STORE_RIGHTS, newest: newestOf(await shippedMigrations()) };
}

/** A schema beside that of the state. */
export interface FurtherSchema {
  /** Plain lower case. */
  readonly name: string;
  /** Migrations that make it. */
  readonly migrations: readonly Migration[];
  /** Rights that roles get in it. */
  readonly rights: SchemaRights;
}

/** Settings of a migration: the database, and the roles that get rights. */
export interface MigrationOrder extends Administered {
  /** Same as {@link StoreOptions.naming}. */
  readonly naming: string;
  /** Same as {@link StoreOptions.clusterId}. */
  readonly clusterId?: string;
  /** Roles that get rights to the tables afterwards, if they exist. */
  readonly roles: Omit<RoleNames, 'migrator'>;
  /** Schemas beside that of the state. */
  readonly further: readonly FurtherSchema[];
}

/** State of a migrated schema. */
export interface MigratedSchema {
  /** Name of the schema in the database. */
  readonly name: string;
  /** Number of its newest migration. */
  readonly newest: number;
}

/**
 * Migrates the schemas of a database to what this release needs, and grants the roles of servers their rights to them:
 * each in one transaction.
 * @throws IncompatibleDatabaseError, StoreUnavailableError; the driver's error
 */
export function migrateDatabase(order: MigrationOrder): Promise<readonly MigratedSchema[]> {
  const { roles, naming, clusterId, patience = PATIENCE_WITH_TABLES, url, observer = {} } = order;
  const installation: Installation = completeOptions({ url, naming, ...(clusterId !== undefined && { clusterId }) });
  return withConnection(order, async (connection) => {
    const main = { name: STORE_SCHEMA, migrations: await shippedMigrations(), rights: STORE_RIGHTS };
    const migrated: MigratedSchema[] = [];
    for (const schema of [main, ...order.further]) {
      const { name, migrations, rights } = schema;
      await connection.query(`SET search_path = ${name}`);
      const last = async () => {
        if (schema === main) await recordInstallation(connection, installation);
        const [row] = await connection.query('SELECT max(number) FROM schema_migration');
        const newest = Number(row?.[0] ?? 0);
        // A newer release has granted rights that this one does not know.
        if (newest <= newestOf(migrations))
          await connection.query(rightsScript(name, rights, roles), undefined, MIGRATION_ANSWER_TIMEOUT);
        return newest;
      };
      migrated.push({
        name,
        newest: await patiently(patience, () =>
          migrateSchema(connection, { schema: name, observer }, migrations, last),
        ),
      });
    }
    return migrated;
  });
}

/** Returns the installation that a database belongs to. @throws IncompatibleDatabaseError when none is recorded */
export function installationOf(database: Administered): Promise<Installation> {
  return withConnection(database, async (connection) => {
    const [row] = await connection.query('SELECT cluster_id, naming FROM installation');
    if (!row) throw new IncompatibleDatabaseError('the database holds no installation');
    return { clusterId: row[0] ?? '', naming: row[1] ?? '' };
  });
}

async function withConnection<T>(
  { url }: Administered,
  run: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  const options = completeOptions({ url, naming: '', schema: STORE_SCHEMA, applicationName: 'orchctl' });
  const connector = new Connector(connectionSettings(options), async () => undefined);
  const connection = await connectWithin(connector, options.openTimeout);
  try {
    return await run(connection);
  } finally {
    await connection.end();
  }
}

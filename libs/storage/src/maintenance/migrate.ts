import { readdir, readFile } from 'node:fs/promises';
import type { DatabaseConnection } from '../connections/connection.js';
import { sqlState } from '../connections/failures.js';
import type { StoreObserver } from '../face/observer.js';
import {
  beginUnderMigrationLock,
  MIGRATION_ANSWER_TIMEOUT,
  type MigrationReports,
  reporting,
} from './migration-lock.js';

/** The database belongs to another kind of installation, to a release too far ahead or behind, or its role lacks rights. */
export class IncompatibleDatabaseError extends Error {
  override readonly name = 'IncompatibleDatabaseError';
}

/** Milliseconds for which a migration waits for a table that is being read, and for which it then yields. */
export const PATIENCE = 200;
const PAUSE = 500;
/** Attempts that are made however long each of them takes. */
const LEAST_ATTEMPTS = 5;
const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';

const DIRECTORY = new URL('../../migrations/', import.meta.url);

/** A migration of a schema. */
export interface Migration {
  /** From 1 on, without gaps. */
  readonly number: number;
  /** Recorded with it. */
  readonly name: string;
  /** SQL. */
  readonly text: string;
}

/**
 * The migrations that this release ships, ascending. A release has one number, as the previous release works with one
 * more than it knows; a migration may be a folder of several files.
 */
export async function shippedMigrations(): Promise<Migration[]> {
  const names = (await readdir(DIRECTORY)).filter((name) => /^\d{4}-/.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ number: Number(name.slice(0, 4)), name, text: await textOf(name) })));
}

async function textOf(name: string): Promise<string> {
  if (name.endsWith('.sql')) return readFile(new URL(name, DIRECTORY), 'utf8');
  const folder = new URL(`${name}/`, DIRECTORY);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  return texts.join(';\n');
}

/** Which user may change a schema, and what to do when the schema is not the one that this release needs. */
interface MigrationSettings {
  /** Whether to migrate; if not, an outdated schema is refused. */
  readonly migrates: boolean;
  /** Milliseconds after which a migration that finds tables in use is not retried; five attempts are always made. */
  readonly migrationTimeout: number;
  /** Notified of progress. */
  readonly observer?: StoreObserver;
}

/** Identity of the cluster that first used the database; recorded once. */
export interface Installation {
  /** A random UUID unless it was given. */
  readonly clusterId: string;
  /** The naming profile; servers of another one are refused. */
  readonly naming: string;
}

/**
 * Brings the schema up to `migrations`, and records or checks which installation the database belongs to. Safe to run
 * from many processes at once: an advisory lock lets one through at a time. All of it is one transaction, which is
 * retried while tables are in use. When nothing is missing nothing is locked or written, so that a role without those
 * rights is enough.
 * @throws IncompatibleDatabaseError; the driver's error
 */
export async function migrate(
  connection: DatabaseConnection,
  schema: string,
  migrations: readonly Migration[],
  installation: Installation,
  settings: MigrationSettings = { migrates: true, migrationTimeout: 0 },
): Promise<Installation> {
  if (await isComplete(connection, schema, migrations, settings.migrates)) {
    const found = await findInstallation(connection, installation.naming);
    if (found) return found;
  }
  return patiently(settings.migrationTimeout, () =>
    migrateSchema(connection, { schema, observer: settings.observer ?? {} }, migrations, () =>
      recordInstallation(connection, installation),
    ),
  );
}

/** Retries work that yields to users of a table until it succeeds or times out. @throws what it throws in the end */
export async function patiently<T>(timeout: number, run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeout;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() > deadline && attempt >= LEAST_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

/**
 * Whether a schema has all `migrations`.
 * @param migrates whether an outdated one is acceptable: if not, it is refused
 * @throws IncompatibleDatabaseError when it is refused, too far ahead, or not accessible
 */
export async function isComplete(
  connection: DatabaseConnection,
  schema: string,
  migrations: readonly Migration[],
  migrates: boolean,
): Promise<boolean> {
  const current = await numberOf(connection, schema);
  const newest = newestOf(migrations);
  refuseFarAhead(current, newest);
  if (current >= newest) return true;
  if (migrates) return false;
  const found = current === 0 ? 'is not there' : `is at ${current}`;
  throw new IncompatibleDatabaseError(
    `the database's schema ${schema} ${found}, this release needs ${newest}, and with --migrate=false it is not migrated here: ` +
      'run orchctl storage migrate',
  );
}

/** Number of a schema's newest migration; 0 if there is none. */
async function numberOf(connection: DatabaseConnection, schema: string): Promise<number> {
  const [row] = await connection.query(
    `SELECT n.oid::text, has_schema_privilege(n.oid, 'USAGE'), current_user
       FROM (SELECT to_regnamespace('${schema}')::oid AS oid) n`,
  );
  if (!row?.[0]) return 0;
  if (row[1] !== 't') {
    throw new IncompatibleDatabaseError(
      `the database role ${row[2]} may not use the schema ${schema}: orchctl storage roles gives roles what they need`,
    );
  }
  const [table] = await connection.query(`SELECT to_regclass('${schema}.schema_migration')::text`);
  if (!table?.[0]) return 0;
  const [found] = await connection.query(`SELECT coalesce(max(number), 0) FROM ${schema}.schema_migration`);
  return Number(found?.[0] ?? 0);
}

/** Number of the last of them; 0 where there are none. */
export const newestOf = (migrations: readonly Migration[]): number => migrations.at(-1)?.number ?? 0;

/** @throws IncompatibleDatabaseError */
function refuseFarAhead(current: number, newest: number): void {
  if (current <= newest + 1) return;
  throw new IncompatibleDatabaseError(
    `the database's schema is at ${current}, this release understands up to ${newest} and works with ${newest + 1} at most: ` +
      'run a newer release, or restore a backup made by this one',
  );
}

/**
 * Migrates one schema, in a transaction that `last` ends.
 * @throws IncompatibleDatabaseError; the driver's error, also when tables are in use for longer than its patience
 */
export async function migrateSchema<T>(
  connection: DatabaseConnection,
  reports: MigrationReports,
  migrations: readonly Migration[],
  last: () => Promise<T>,
): Promise<T> {
  const { schema } = reports;
  await beginUnderMigrationLock(connection, reports);
  try {
    // Other users of a table queue behind a migration that waits for it, so it waits only shortly.
    await connection.query(`SET LOCAL lock_timeout = ${PATIENCE}`);
    await prepareSchema(connection, schema);
    await applyMissing(connection, reports, migrations);
    const result = await last();
    await connection.query('COMMIT', undefined, MIGRATION_ANSWER_TIMEOUT);
    return result;
  } catch (error) {
    if (!connection.broken) await connection.query('ROLLBACK');
    throw sqlState(error) === INSUFFICIENT_PRIVILEGE ? notAllowed(schema, error) : error;
  }
}

const notAllowed = (schema: string, cause: unknown): Error =>
  new IncompatibleDatabaseError(
    `the database's schema ${schema} is older than this release needs, and the role of this server may not migrate it ` +
      `(${(cause as Error).message}): run orchctl storage migrate`,
    { cause },
  );

async function prepareSchema(connection: DatabaseConnection, schema: string): Promise<void> {
  const [row] = await connection.query(
    `SELECT to_regnamespace('${schema}')::text, to_regclass('${schema}.schema_migration')::text`,
  );
  if (!row?.[0]) await connection.query(`CREATE SCHEMA ${schema}`, undefined, MIGRATION_ANSWER_TIMEOUT);
  if (!row?.[1]) {
    await connection.query(
      'CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
  }
}

async function applyMissing(
  connection: DatabaseConnection,
  reports: MigrationReports,
  migrations: readonly Migration[],
): Promise<void> {
  const [row] = await connection.query('SELECT coalesce(max(number), 0) FROM schema_migration');
  const current = Number(row?.[0] ?? 0);
  refuseFarAhead(current, newestOf(migrations));
  for (const migration of migrations) {
    if (migration.number <= current) continue;
    const { number, name, text } = migration;
    const script = `${text}; INSERT INTO schema_migration (number, name) VALUES (${number}, '${name}')`;
    await reporting(name, reports, () => connection.query(script, undefined, MIGRATION_ANSWER_TIMEOUT));
  }
}

/** Records the installation of a new database. @throws IncompatibleDatabaseError when its naming profile is another */
export async function recordInstallation(connection: DatabaseConnection, wanted: Installation): Promise<Installation> {
  await connection.query('INSERT INTO installation (cluster_id, naming) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    wanted.clusterId,
    wanted.naming,
  ]);
  const found = await findInstallation(connection, wanted.naming);
  if (!found) throw new Error('the database holds no installation');
  return found;
}

/** Returns the recorded installation, if any. @throws IncompatibleDatabaseError when its naming profile is another */
async function findInstallation(connection: DatabaseConnection, naming: string): Promise<Installation | undefined> {
  const [row] = await connection.query('SELECT cluster_id, naming FROM installation');
  if (!row) return undefined;
  const found = { clusterId: row[0] ?? '', naming: row[1] ?? '' };
  if (found.naming !== naming) {
    throw new IncompatibleDatabaseError(
      `the database was made with the naming profile ${found.naming}; this server runs with ${naming}`,
    );
  }
  return found;
}

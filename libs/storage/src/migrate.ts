import { readdir, readFile } from 'node:fs/promises';
import type { Connection } from './connection.js';
import { sqlState } from './failures.js';

/** The database belongs to another kind of installation, or to a release too far ahead. */
export class IncompatibleDatabaseError extends Error {
  override readonly name = 'IncompatibleDatabaseError';
}

/** Key of the advisory lock under which one process migrates. */
const MIGRATION_LOCK = 1719283746;

/** Milliseconds for which a migration waits for a table that is being read, and for which it then lets others go on. */
const PATIENCE = 200;
const PAUSE = 500;
const LOCK_NOT_AVAILABLE = '55P03';

const DIRECTORY = new URL('../migrations/', import.meta.url);

/** A step of a schema. */
export interface Migration {
  /** From 1 on, without gaps. */
  readonly number: number;
  /** Recorded with it. */
  readonly name: string;
  /** SQL. */
  readonly text: string;
}

/**
 * The migrations that this release ships, ascending. A release has one number, as the release before works with one more
 * than it knows; what one consists of may lie in a folder, file after file.
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

/** What the database was first used by; recorded once. */
export interface Installation {
  /** A random UUID unless it was given. */
  readonly clusterId: string;
  /** The naming profile; servers of another one are refused. */
  readonly naming: string;
}

/**
 * Brings the schema to what `migrations` hold and records, or checks, whose database it is. Safe to run from many processes at
 * once: an advisory lock lets one through at a time. All of it is one transaction, which is tried again where tables are in use.
 * @param migrationTimeout milliseconds after which it is not tried again
 * @throws IncompatibleDatabaseError; the driver's error
 */
export async function migrate(
  connection: Connection,
  schema: string,
  migrations: readonly Migration[],
  installation: Installation,
  migrationTimeout = 0,
): Promise<Installation> {
  const deadline = performance.now() + migrationTimeout;
  for (;;) {
    try {
      return await migrateNow(connection, schema, migrations, installation);
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

const migrateNow = (
  connection: Connection,
  schema: string,
  migrations: readonly Migration[],
  installation: Installation,
): Promise<Installation> =>
  migrateSchema(connection, schema, migrations, () => recordInstallation(connection, installation));

/**
 * Brings one schema to what `migrations` hold, in one transaction, of which `last` is the end.
 * @throws IncompatibleDatabaseError; the driver's error, also where tables are in use for longer than it is patient
 */
export async function migrateSchema<T>(
  connection: Connection,
  schema: string,
  migrations: readonly Migration[],
  last: () => Promise<T>,
): Promise<T> {
  // Migrations may take longer than a statement of the running system is allowed to.
  await connection.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  try {
    await connection.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // Whoever uses a table stands behind a migration that waits for it, so it is not patient.
    await connection.query(`SET LOCAL lock_timeout = ${PATIENCE}`);
    await prepareSchema(connection, schema);
    await applyMissing(connection, migrations);
    const result = await last();
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    if (!connection.broken) await connection.query('ROLLBACK');
    throw error;
  }
}

async function prepareSchema(connection: Connection, schema: string): Promise<void> {
  const [row] = await connection.query(
    `SELECT to_regnamespace('${schema}')::text, to_regclass('${schema}.schema_migration')::text`,
  );
  if (!row?.[0]) await connection.query(`CREATE SCHEMA ${schema}`);
  if (!row?.[1]) {
    await connection.query(
      'CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
  }
}

async function applyMissing(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const [row] = await connection.query('SELECT coalesce(max(number), 0) FROM schema_migration');
  const current = Number(row?.[0] ?? 0);
  const newest = migrations.at(-1)?.number ?? 0;
  if (current > newest + 1) {
    throw new IncompatibleDatabaseError(
      `the database's schema is at ${current}, this release understands up to ${newest} and works with ${newest + 1} at most: ` +
        'run a newer release, or restore a backup made by this one',
    );
  }
  for (const migration of migrations) {
    if (migration.number <= current) continue;
    await connection.query(
      `${migration.text}; INSERT INTO schema_migration (number, name) VALUES (${migration.number}, '${migration.name}')`,
    );
  }
}

async function recordInstallation(connection: Connection, wanted: Installation): Promise<Installation> {
  await connection.query('INSERT INTO installation (cluster_id, naming) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    wanted.clusterId,
    wanted.naming,
  ]);
  const [row] = await connection.query('SELECT cluster_id, naming FROM installation');
  const found = { clusterId: row?.[0] ?? '', naming: row?.[1] ?? '' };
  if (found.naming !== wanted.naming) {
    throw new IncompatibleDatabaseError(
      `the database was made with the naming profile ${found.naming}; this server runs with ${wanted.naming}`,
    );
  }
  return found;
}

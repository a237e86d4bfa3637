import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connector } from '../connections/connector.js';
import { connectionSettings } from '../connections/opening.js';
import type { MigrationStep } from '../face/observer.js';
import { completeOptions, type StoreOptions } from '../face/options.js';
import { openStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { IncompatibleDatabaseError, migrate, shippedMigrations } from './migrate.js';
import { MIGRATION_LOCK } from './migration-lock.js';

/** What the servers know that run beside these during an upgrade, and after a rollback. */
const NEWEST_OF_RELEASE_BEFORE = 8;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

async function opens(schema: string, options: Partial<StoreOptions> = {}) {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
  await store.ping();
  await store.close();
  return store.installation;
}

describe('migration', () => {
  it('numbers its files without gaps, and is one step ahead of the release before', async () => {
    const numbers = (await shippedMigrations()).map((migration) => migration.number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(numbers.at(-1)).toBe(NEWEST_OF_RELEASE_BEFORE + 1);
  });

  it('many processes may open a new database at once', async () => {
    const schema = server.freshSchema();
    const installations = await Promise.all(Array.from({ length: 6 }, () => opens(schema)));
    expect(new Set(installations.map((installation) => installation.clusterId)).size).toBe(1);
  });

  it('refuses a database of another naming profile', async () => {
    const schema = server.freshSchema();
    await opens(schema, { clusterId: 'c-1' });
    await expect(opens(schema, { naming: 'other' })).rejects.toThrow(/naming profile orch/);
    expect(await opens(schema)).toEqual({ clusterId: 'c-1', naming: 'orch' });
  });

  it('works with a schema one step ahead and refuses one further on', async () => {
    const schema = server.freshSchema();
    await opens(schema);
    const session = await server.session(schema);
    const newest = (await shippedMigrations()).at(-1)?.number ?? 0;
    await session.query('INSERT INTO schema_migration (number, name) VALUES ($1, $2)', [newest + 1, 'next']);
    await opens(schema);
    await session.query('INSERT INTO schema_migration (number, name) VALUES ($1, $2)', [newest + 2, 'after next']);
    await expect(opens(schema)).rejects.toBeInstanceOf(IncompatibleDatabaseError);
  });

  it('waits for a statement for as long as it takes, and for another process that runs one, which it reports', async () => {
    const schema = server.freshSchema();
    // All patience of the running system is over long before the statement is.
    const options = completeOptions({
      ...{ url: server.url, naming: 'orch', schema },
      ...{ answerTimeout: 300, statementTimeout: 200, lockTimeout: 100, migrationTimeout: 0 },
    });
    const slow = { number: 10, name: '0010-slow', text: 'SELECT pg_sleep(1.5)' };
    const migrations = [...(await shippedMigrations()), slow];
    const run = async () => {
      const steps: MigrationStep[] = [];
      const observer = { migration: (step: MigrationStep) => void steps.push(step) };
      const connector = new Connector(connectionSettings(options), async () => undefined);
      const connection = await connector.connect();
      const installation = await migrate(connection, schema, migrations, options, { ...options, observer });
      await connection.end();
      return { installation, steps };
    };
    const [one, other] = await Promise.all([run(), run()]);
    expect(one.installation).toEqual(other.installation);
    const [worker, waiter] = one.steps.some(({ name }) => name === slow.name) ? [one, other] : [other, one];
    expect(worker.steps.filter(({ name }) => name === slow.name)).toMatchObject([
      { schema, state: 'begins' },
      { schema, state: 'ended' },
    ]);
    expect(worker.steps.at(-1)?.ms).toBeGreaterThan(1_400);
    expect(waiter.steps).toMatchObject([{ schema, state: 'waits' }]);
  });

  it('does not go on waiting for a process that was killed while it migrated', async () => {
    const schema = server.freshSchema();
    const dead = await server.session(schema);
    const { rows } = await dead.query('SELECT pg_backend_pid() AS pid');
    await dead.query(`BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const steps: MigrationStep[] = [];
    let waits: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    const observer = {
      migration(step: MigrationStep) {
        steps.push(step);
        if (step.state === 'waits') waits();
      },
    };
    const opened = opens(schema, { observer });
    await waiting;
    // While it waits it holds no snapshot, which would keep dead rows.
    const look = await server.session(schema);
    const HELD = `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE backend_xmin IS NOT NULL AND application_name = 'cluster-store'`;
    // For a moment each look at the lock has one.
    await expect.poll(async () => (await look.query(HELD)).rows[0].n).toBe(0);
    await look.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    await opened;
    expect(steps.at(-1)).toMatchObject({ state: 'ended' });
  });

  it('is tried again some times where tables are in use, also when each attempt takes longer than it may in all', async () => {
    const schema = server.freshSchema();
    await opens(schema);
    const holder = await server.session(schema);
    await holder.query('BEGIN; LOCK TABLE installation IN ACCESS SHARE MODE');
    const options = completeOptions({ url: server.url, naming: 'orch', schema, migrationTimeout: 0 });
    const late = { number: 10, name: '0010-late', text: 'ALTER TABLE installation ADD COLUMN late text' };
    const migrations = [...(await shippedMigrations()), late];
    const connector = new Connector(connectionSettings(options), async () => undefined);
    const connection = await connector.connect();
    let attempts = 0;
    const observer = {
      migration({ state }: MigrationStep) {
        if (state === 'begins' && ++attempts === 3) void holder.query('COMMIT');
      },
    };
    await migrate(connection, schema, migrations, options, { ...options, observer });
    await connection.end();
    expect(attempts).toBeGreaterThanOrEqual(3);
  });
});

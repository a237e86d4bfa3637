import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import { ReadOnlyStoreError } from '../face/errors.js';
import type { StoreOptions } from '../face/options.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { literal } from '../reads/snapshot-sql.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { databasesOf, migrateDatabase, runScript, STORE_SCHEMA, storeSchema } from './administration.js';
import { STORE_RIGHTS } from './rights.js';
import { type RoleLogin, type RolesSettings, rolesScript } from './roles-script.js';
import { scramVerifier } from './scram.js';

const ROLES = { migrator: 'the_migrator', apiServer: 'the-api.server@example', gateway: 'the_gateway' };
const NONE: RoleLogin = { external: true };
const SETTINGS: RolesSettings = {
  roles: ROLES,
  logins: { migrator: NONE, apiServer: NONE, gateway: NONE },
  schemas: [{ name: STORE_SCHEMA, rights: STORE_RIGHTS, newest: 1_000 }],
  takesOver: false,
};
const DENIED = /permission denied|must be owner/;

let server: TestServer;
const databases: string[] = [];
const stores: PostgresStore[] = [];
const clients: pg.Client[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all(clients.splice(0).map((client) => client.end()));
});
afterAll(() => server.dispose());

/** The URL of a database as somebody else; the superuser's password is everybody's. */
function urlAs(database: string, role?: string): string {
  const url = server.url.replace(/\/postgres(\?|$)/, `/${database}$1`);
  return role === undefined ? url : url.replace('//postgres:', `//${encodeURIComponent(role)}:`);
}

const passwordOf = (): string => parseDatabaseUrl(server.url).password ?? '';

/** A database of its own, with roles that have the superuser's password. */
async function freshDatabase(): Promise<string> {
  const name = `d${databases.length}`;
  databases.push(name);
  const admin = await clientOf(server.url);
  await admin.query(`CREATE DATABASE ${name}`);
  return name;
}

async function withPasswords(settings: Partial<RolesSettings> = {}): Promise<RolesSettings> {
  const login = { external: false, verifier: await scramVerifier(passwordOf()) };
  return { ...SETTINGS, logins: { migrator: login, apiServer: login, gateway: login }, ...settings };
}

async function installed(): Promise<string> {
  const database = await freshDatabase();
  await runScript({ url: urlAs(database) }, rolesScript(await withPasswords()));
  await migrate(database);
  return database;
}

const migrate = (database: string) =>
  migrateDatabase({ url: urlAs(database, ROLES.migrator), naming: 'orch', roles: ROLES, further: [] });

async function clientOf(url: string): Promise<pg.Client> {
  const { hosts, user, password, database } = parseDatabaseUrl(url);
  const client = new pg.Client({ ...hosts[0], user, password, database, options: `-c search_path=${STORE_SCHEMA}` });
  client.on('error', () => undefined);
  await client.connect();
  clients.push(client);
  return client;
}

async function open(url: string, options: Partial<StoreOptions> = {}): Promise<PostgresStore> {
  const store = await openStore({ url, naming: 'orch', migrates: false, ...options });
  stores.push(store);
  return store;
}

const create = (type: number, name: string) =>
  ({ op: 'create', type, namespace: '', name, uid: name, body: Buffer.from('{}'), requireNamespace: false }) as const;

describe('an installation with a role for each process', () => {
  it('keeps its house as one whose servers own everything, and a gateway reads all of it', async () => {
    const database = await installed();
    const store = await open(urlAs(database, ROLES.apiServer), { retention: 1_000, partitionInterval: 1_000 });
    const gateway = await open(urlAs(database, ROLES.gateway), { mayOnlyRead: true });
    expect([store.mayWrite, gateway.mayWrite, gateway.compactors]).toEqual([true, false, []]);
    const waiting = gateway.registerTypes([{ group: '', resource: 'things' }]);
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    expect(await waiting).toEqual([type]);
    const wrote = await store.write(create(type, 'a'));
    expect(wrote.outcome).toBe('committed');
    expect((await gateway.get(type, { namespace: '', name: 'a' }))?.uid).toBe('a');
    const first = (await gateway.heads([type])).get(type);
    expect(await gateway.changes(type, (first?.head ?? 0n) - 1n, 10)).toHaveLength(1);
    expect(await gateway.settledHead(type, (first?.head ?? 0n) + 1n)).toEqual(first);
    const snapshot = await gateway.snapshot({ type, at: first?.head ?? 0n });
    for await (const page of snapshot.pages) expect(page.map(({ name }) => name)).toEqual(['a']);
    // Partitions are closed and dropped, by functions of who owns them.
    const now = Date.now();
    expect((await store.compactor.runOnce(now)).ran).toBe(true);
    expect((await store.compactor.runOnce(now + 10_000)).sealed).toBe(0n);
    expect((await store.compactor.runOnce(now + 60_000)).dropped).toContain(0n);
    expect((await gateway.heads([type])).get(type)?.floor).toBe(first?.head);
    await store.expirer(type, 60_000).runOnce();
    expect(await store.lease('something', 1_000).take()).toBe(true);
    const keys = await store.announcementKeys(1);
    expect((await gateway.announcementKeys(1)).signing).toEqual(keys.signing);
    for (const each of [store, gateway]) await each.presence(10_000).tell({ served: 1n, drained: 1n, held: [] });
    expect(await store.leastProgress()).toMatchObject({ served: 1n, drained: 1n });
  });

  it('refuses the write that comes to a gateway', async () => {
    const database = await installed();
    const store = await open(urlAs(database, ROLES.apiServer));
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const gateway = await open(urlAs(database, ROLES.gateway), { mayOnlyRead: true });
    await expect(gateway.write(create(type, 'a'))).rejects.toBeInstanceOf(ReadOnlyStoreError);
    await expect(gateway.writeSet([create(type, 'a')])).rejects.toBeInstanceOf(ReadOnlyStoreError);
  });

  it('begins an epoch as the api-server, where the database went back in time', async () => {
    const database = await installed();
    const store = await open(urlAs(database, ROLES.apiServer));
    const [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
    const gateway = await open(urlAs(database, ROLES.gateway), { mayOnlyRead: true });
    let rewinds = 0;
    gateway.onRewind(() => rewinds++);
    await gateway.heads([type]);
    const head = (await store.heads([type])).get(type)?.head ?? 0n;
    // Alone, it forgets what it heard of; and again when there is an epoch.
    gateway.noteAnnounced(type, head + 5n);
    await gateway.heads([type]);
    expect(rewinds).toBe(1);
    store.noteAnnounced(type, head + 5n);
    expect((await store.heads([type])).get(type)?.head).toBeGreaterThan(head + 5n);
    await gateway.heads([type]);
    expect([rewinds, gateway.epoch]).toEqual([2, 2n]);
  });

  it.each([
    ['apiServer', 'DROP SCHEMA cluster CASCADE'],
    ['apiServer', 'DROP TABLE object'],
    ['apiServer', 'TRUNCATE object'],
    ['apiServer', 'CREATE TABLE cluster.mine ()'],
    ['apiServer', 'CREATE FUNCTION cluster.mine() RETURNS void LANGUAGE sql AS $$ $$'],
    ['apiServer', 'ALTER FUNCTION beat(bigint, double precision) SECURITY DEFINER'],
    ['apiServer', 'CREATE ROLE mine'],
    ['apiServer', 'CREATE SCHEMA mine'],
    ['apiServer', `SET ROLE ${ROLES.migrator}`],
    ['apiServer', 'SELECT * FROM other.secret'],
    ['apiServer', "UPDATE installation SET naming = 'kubernetes'"],
    ['apiServer', "INSERT INTO schema_migration (number, name) VALUES (99, 'x')"],
    ['apiServer', 'DELETE FROM change'],
    ['gateway', "INSERT INTO object (type, namespace, name, uid, version, body) VALUES (1, '', 'x', 'x', 1, '')"],
    ['gateway', 'DELETE FROM object'],
    ['gateway', 'UPDATE object SET version = version'],
    ['gateway', 'DELETE FROM announcement_key'],
    ['gateway', 'UPDATE heartbeat SET at = now()'],
    ['gateway', "SELECT nextval('resource_version')"],
    ['gateway', "SELECT setval('resource_version', 1)"],
    ['gateway', 'SELECT create_history_partition(99, 1)'],
    ['gateway', 'SELECT drop_history_partition(0, 1)'],
    ['gateway', 'SELECT begin_epoch(1, 1, 1)'],
    ['gateway', 'SELECT * FROM other.secret'],
    ['gateway', 'CREATE TABLE cluster.mine ()'],
    ['gateway', `SET ROLE "${ROLES.apiServer}"`],
  ] as const)('does not let the role %s do: %s', async (role, statement) => {
    const database = databases[0] ?? (await installed());
    const admin = await clientOf(urlAs(database));
    await admin.query('CREATE SCHEMA IF NOT EXISTS other; CREATE TABLE IF NOT EXISTS other.secret ()');
    const client = await clientOf(urlAs(database, ROLES[role]));
    await expect(client.query(statement)).rejects.toThrow(DENIED);
  });

  it('names every table, view and sequence that a migration makes, and every function', async () => {
    const client = await clientOf(urlAs(await installed()));
    const { rows: relations } = await client.query(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'cluster'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
          AND NOT relispartition AND relname <> 'announcement_key_id_seq'`,
    );
    const { rows: functions } = await client.query(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'cluster'::regnamespace AND prorettype <> 'trigger'::regtype`,
    );
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();
    expect(names(relations)).toEqual(Object.keys(STORE_RIGHTS.relations).sort());
    expect(names(functions)).toEqual(Object.keys(STORE_RIGHTS.functions).sort());
  });
});

describe('the roles', () => {
  it('may be made again and again, and lose what they had beside', async () => {
    const database = await installed();
    const admin = await clientOf(urlAs(database));
    await admin.query(
      'GRANT INSERT, TRUNCATE ON cluster.object TO the_gateway; GRANT CREATE ON SCHEMA cluster TO the_gateway',
    );
    await Promise.all([1, 2, 3].map(() => runScript({ url: urlAs(database) }, rolesScript(SETTINGS))));
    const rights = await admin.query(
      `SELECT has_table_privilege('the_gateway', 'object', 'INSERT') AS a, has_table_privilege('the_gateway', 'object', 'SELECT') AS b,
              has_schema_privilege('the_gateway', 'cluster', 'CREATE') AS c,
              has_function_privilege('the_gateway', 'drop_history_partition(bigint, integer)', 'EXECUTE') AS d`,
    );
    expect(rights.rows).toEqual([{ a: false, b: true, c: false, d: false }]);
  });

  it('leave nobody else what everybody has, and let nobody else add to a schema', async () => {
    const database = await freshDatabase();
    const admin = await clientOf(urlAs(database));
    await admin.query(`CREATE ROLE mallory LOGIN PASSWORD ${literal(passwordOf())}`);
    await runScript({ url: urlAs(database) }, rolesScript(await withPasswords()));
    await admin.query(`GRANT CREATE, USAGE ON SCHEMA ${STORE_SCHEMA} TO mallory;
      ALTER DEFAULT PRIVILEGES FOR ROLE "${ROLES.migrator}" IN SCHEMA ${STORE_SCHEMA} GRANT SELECT ON TABLES TO PUBLIC`);
    await migrate(database);
    const mallory = await clientOf(urlAs(database, 'mallory'));
    await expect(mallory.query('SELECT FROM object')).rejects.toThrow(DENIED);
    await expect(mallory.query('CREATE TABLE evil (a int)')).rejects.toThrow(DENIED);
  });

  it('keep what a newer release gave them, whatever an older one knows', async () => {
    const database = await installed();
    const owner = await clientOf(urlAs(database, ROLES.migrator));
    await owner.query('CREATE TABLE newer (); GRANT SELECT ON newer TO the_gateway');
    await owner.query(
      "INSERT INTO schema_migration (number, name) SELECT max(number) + 1, 'newer' FROM schema_migration",
    );
    const older = await storeSchema();
    await expect(runScript({ url: urlAs(database) }, rolesScript({ ...SETTINGS, schemas: [older] }))).rejects.toThrow(
      /is at \d+, this release knows up to \d+: run this command of the newer release/,
    );
    await migrate(database);
    const rights = await owner.query("SELECT has_table_privilege('the_gateway', 'newer', 'SELECT') AS stays");
    expect(rights.rows).toEqual([{ stays: true }]);
  });

  it('are made by the owner of a database who may make roles', async () => {
    const database = await freshDatabase();
    const admin = await clientOf(server.url);
    const verifier = await scramVerifier(passwordOf());
    await admin.query(
      `CREATE ROLE owner_of_it LOGIN CREATEROLE PASSWORD '${verifier}'; ALTER DATABASE ${database} OWNER TO owner_of_it`,
    );
    const roles = { migrator: 'm2', apiServer: 'a2', gateway: 'g2' };
    const script = rolesScript(await withPasswords({ roles }));
    const url = urlAs(database, 'owner_of_it');
    for (let run = 0; run < 2; run++) await runScript({ url }, script);
    await migrateDatabase({ url: urlAs(database, 'm2'), naming: 'orch', roles, further: [] });
    const store = await open(urlAs(database, 'a2'));
    await store.ping();
    const member = await admin.query(
      `SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles w ON w.oid = m.member
        WHERE r.rolname = 'm2' AND w.rolname = 'owner_of_it' AND (to_jsonb(m)->>'set_option') IS DISTINCT FROM 'false'`,
    );
    expect(member.rows).toEqual([]);
  });

  it('take over what another role has made only when told to', async () => {
    const database = await freshDatabase();
    const before = await open(urlAs(database), { migrates: true });
    const [type = 0] = await before.registerTypes([{ group: '', resource: 'things' }]);
    await before.write(create(type, 'a'));
    const settings = await withPasswords();
    await expect(runScript({ url: urlAs(database) }, rolesScript(settings))).rejects.toThrow(
      /SCHEMA cluster belongs to the role postgres.*--take-over/,
    );
    // Without a stop: roles beside the present one, which the servers leave one after the other.
    const present = { ...settings, roles: { ...ROLES, migrator: 'postgres' } };
    await runScript({ url: urlAs(database) }, rolesScript(present));
    const beside = await open(urlAs(database, ROLES.apiServer));
    expect((await beside.write(create(type, 'c'))).outcome).toBe('committed');
    expect((await before.write(create(type, 'd'))).outcome).toBe('committed');
    await runScript({ url: urlAs(database) }, rolesScript({ ...settings, takesOver: true }));
    await migrate(database);
    const store = await open(urlAs(database, ROLES.apiServer));
    expect((await store.get(type, { namespace: '', name: 'a' }))?.uid).toBe('a');
    expect((await store.write(create(type, 'b'))).outcome).toBe('committed');
  });

  it('are refused where they may do more than they should by other ways', async () => {
    const database = await freshDatabase();
    const admin = await clientOf(server.url);
    await admin.query('CREATE ROLE mighty CREATEROLE; CREATE ROLE member; CREATE ROLE mm; GRANT mm TO member');
    const run = async (roles: Partial<typeof ROLES>) =>
      runScript({ url: urlAs(database) }, rolesScript({ ...SETTINGS, roles: { ...ROLES, ...roles } }));
    await expect(run({ gateway: 'mighty' })).rejects.toThrow(/the role mighty is a superuser, or may make roles/);
    await expect(run({ gateway: 'member', migrator: 'mm' })).rejects.toThrow(/the role member is a member of mm/);
    const owns = /the role landlord owns the database d\d+, or is a member of who does, and so may drop it/;
    await admin.query(`CREATE ROLE landlord; ALTER DATABASE ${database} OWNER TO landlord`);
    await expect(run({ apiServer: 'landlord' })).rejects.toThrow(owns);
    await admin.query('CREATE ROLE agent; GRANT landlord TO agent');
    await expect(run({ gateway: 'agent' })).rejects.toThrow(/the role agent owns the database/);
    await expect(run({ gateway: `x" $orch$; DROP TABLE y; --` })).rejects.toThrow(/is not a valid role name/);
  });

  it('are those of every database, which is told', async () => {
    const [first, second] = [await freshDatabase(), await freshDatabase()];
    const roles = { migrator: 'shared_migrator', apiServer: 'shared_api', gateway: 'shared_gateway' };
    const script = rolesScript({ ...SETTINGS, roles });
    await runScript({ url: urlAs(first) }, script);
    expect(await databasesOf({ url: urlAs(first) }, roles)).toEqual([]);
    await runScript({ url: urlAs(second) }, script);
    expect(await databasesOf({ url: urlAs(first) }, roles)).toEqual([second]);
  });

  it('have passwords that the server does not see', async () => {
    const database = await installed();
    const client = await clientOf(urlAs(database, ROLES.gateway));
    expect((await client.query('SELECT current_user AS who')).rows).toEqual([{ who: ROLES.gateway }]);
    expect(rolesScript(await withPasswords())).not.toContain(passwordOf());
    await expect(scramVerifier('zwei\nZeilen')).rejects.toBeInstanceOf(RangeError);
    // RFC 7677, section 3.
    expect(await scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'))).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    );
  });
});

describe('a server that does not migrate', () => {
  it('does not start on a schema that is older, or not there, and says what to do', async () => {
    const database = await freshDatabase();
    const url = urlAs(database);
    await expect(open(url)).rejects.toThrow(
      /schema cluster is not there, this release needs \d+.*orchctl storage migrate/,
    );
    await (await open(url, { migrates: true })).ping();
    const client = await clientOf(url);
    await client.query('DELETE FROM schema_migration WHERE number > 7');
    await expect(open(url)).rejects.toThrow(/is at 7, this release needs \d+.*orchctl storage migrate/);
  });

  it('says so of a further schema, too', async () => {
    const store = await open(urlAs(await installed(), ROLES.apiServer));
    const events = store.besideSchema('events', [{ number: 1, name: '0001-first', text: 'CREATE TABLE first ()' }]);
    try {
      await expect(events.open()).rejects.toThrow(
        /schema events is not there, this release needs 1.*orchctl storage migrate/,
      );
    } finally {
      await events.close();
    }
  });

  it('says which rights it lacks', async () => {
    const database = await installed();
    await expect(open(urlAs(database, ROLES.gateway))).rejects.toThrow(/role the_gateway may not write.*storage roles/);
    const admin = await clientOf(urlAs(database));
    await admin.query('DELETE FROM schema_migration WHERE number > 7');
    await expect(open(urlAs(database, ROLES.apiServer), { migrates: true })).rejects.toThrow(
      /older than this release needs, and the role of this server may not migrate it.*orchctl storage migrate/,
    );
    await admin.query('REVOKE USAGE ON SCHEMA cluster FROM the_gateway');
    await expect(open(urlAs(database, ROLES.gateway), { mayOnlyRead: true })).rejects.toThrow(
      /role the_gateway may not use the schema cluster/,
    );
  });
});

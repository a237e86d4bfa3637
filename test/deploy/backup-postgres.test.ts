import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, findPrograms, freePort, ORCHCTL, postgresServer, waitUntil } from '../../tools/up/index.js';
import { sql } from '../faults/stage/sql.js';
import { Api, type ApiList } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { STANDALONE } from './backup-commands.js';
import { execute, PageCommands, type ShellSettings } from './page-commands.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const POLL = { timeout: 60_000, interval: 50 };

const page = new PageCommands('backup.md', STANDALONE);

/** An object as its client received it on creation. */
interface Written {
  readonly name: string;
  readonly version: string;
}

describe('an api-server and a gateway whose own PostgreSQL goes back', () => {
  let dir: string;
  let cluster: Cluster;
  let shell: ShellSettings;
  let servers: readonly Api[] = [];
  const path = (name: string): string => join(dir, 'shelf', name);
  const highest = { version: 0n };
  let kept: Written;
  let between: Written;
  let lost: Written[];

  beforeAll(async () => {
    dir = makeServerFolder('orch-backup-');
    await archiveFromTheFirst();
    cluster = await startCluster({
      dir,
      apiServers: 1,
      gateways: 1,
      databaseRole: (server) => (server.startsWith('api-server') ? 'orch_api_server' : 'orch_gateway'),
      serverArgs: ['--migrate=false'],
      async prepare({ postgresUrl }) {
        orchctl(['storage', 'roles', '--external-login', '--audit-postgres'], postgresUrl);
        orchctl(
          ['storage', 'migrate', '--naming=kubernetes', '--audit-postgres'],
          postgresUrl.replace('postgres@', 'orch_migrator@'),
        );
      },
    });
    const { ca, token } = cluster;
    servers = [...cluster.apiServerUrls, ...cluster.gatewayUrls].map((url) => new Api({ url, ca, token }));
    shell = shellOf(Number(new URL(cluster.postgresUrl).port));
    await page.run('pg_basebackup', shell);
    kept = await write('kept');
    await page.run('pg_dump', shell);
    between = await write('between');
    const [row] = await sql<{ moment: string }>(cluster.postgresUrl, 'SELECT clock_timestamp()::text AS moment');
    moment = row?.moment ?? '';
    lost = [await write('lost-1'), await write('lost-2')];
  });
  let moment: string;

  afterAll(async () => {
    for (const api of servers) api.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Makes the database of the cluster, and sets it up as the page says, before the servers come. */
  async function archiveFromTheFirst(): Promise<void> {
    const port = await freePort();
    const postgres = await postgresServer({ dir, port, detached: false }).start();
    const { uid, gid } = statSync(join(dir, 'postgres'));
    for (const folder of ['', 'backup', 'archive']) {
      mkdirSync(path(folder));
      chownSync(path(folder), uid, gid);
    }
    await page.run('ALTER SYSTEM SET archive_mode', shellOf(port));
    await postgres.stop();
  }

  function shellOf(port: number): ShellSettings {
    const { uid, gid } = statSync(join(dir, 'postgres'));
    const paths = { BACKUP: path('backup'), ARCHIVE: path('archive'), PGDATA: path('pgdata') };
    const env = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres', PGDATABASE: 'postgres', ...paths };
    const programs = dirname(findPrograms().postgres);
    return { env, programs, ...(process.getuid?.() === 0 && { user: { uid, gid } }) };
  }

  async function write(name: string): Promise<Written> {
    const [api] = servers;
    if (api === undefined) throw new Error('no server');
    // The database may have been away a moment ago.
    const made = async () => [201, 409].includes((await api.post(CONFIG_MAPS, { metadata: { name } })).status);
    await waitUntil(`${name} is written`, POLL.timeout, made);
    const version = (await api.get(`${CONFIG_MAPS}/${name}`)).json().metadata.resourceVersion;
    expect(BigInt(version)).toBeGreaterThan(highest.version);
    highest.version = BigInt(version);
    return { name, version };
  }

  const stopServers = () => Promise.all([...cluster.apiServers, ...cluster.gateways].map((server) => server.stop()));
  const startServers = () => Promise.all([...cluster.apiServers, ...cluster.gateways].map((server) => server.start()));

  /** Expects an installation to have gone back: lost objects are not seen, and the two histories are not confused. */
  async function expectWentBack(held: Written, gone: readonly Written[]): Promise<void> {
    const again = await write(`after-${held.name}`);
    for (const api of servers) {
      const names = async () => (await api.get(CONFIG_MAPS)).json<ApiList>().items.map(({ metadata }) => metadata.name);
      await expect.poll(names, POLL).toEqual(expect.arrayContaining([held.name, again.name]));
      for (const { name, version } of gone) {
        expect(await names()).not.toContain(name);
        const refused = await api.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
        expect([refused.status, (await refused.refusal()).reason]).toEqual([410, 'Expired']);
      }
      const watch = await api.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${held.version}`);
      const event = await watch.next();
      expect([event?.type, event?.object.metadata.resourceVersion]).toEqual(['ADDED', again.version]);
      watch.close();
    }
  }

  test('to a moment between two writes, by a base backup and the archive of its log', async () => {
    await stopServers();
    // In order: what was not archived yet is, as it ends.
    await cluster.postgres.stop();
    const data = join(dir, 'postgres');
    renameSync(data, `${data}.old`);
    await page.run('recovery.signal', { ...shell, env: { ...shell.env, MOMENT: moment } });
    renameSync(path('pgdata'), data);
    await cluster.postgres.start();
    const recovering = async () => sql<{ so: boolean }>(cluster.postgresUrl, 'SELECT pg_is_in_recovery() AS so');
    await expect.poll(recovering, POLL).toEqual([{ so: false }]);
    await startServers();
    await expectWentBack(between, lost);
  });

  test('to a dump, in a database that was empty', async () => {
    lost = [between, ...lost, await write('lost-3')];
    const env = { ...shell.env, NEW_DATABASE: 'restored' };
    await page.run('pg_restore', { ...shell, env });
    const again = page.block('pg_restore').replace(/^createdb.*/, '');
    await expect(execute(again, { ...shell, env })).rejects.toThrow('already exists');
    const url = cluster.postgresUrl.replace(/postgres$/, 'restored');
    await page.run('--take-over', { env: { ORCH_POSTGRES_URL: url } });
    await stopServers();
    const template = cluster.postgresUrl.replace(/postgres$/, 'template1');
    await sql(template, 'ALTER DATABASE postgres RENAME TO away');
    await sql(template, 'ALTER DATABASE restored RENAME TO postgres');
    await startServers();
    await expectWentBack(kept, lost);
  });

  test('by all blocks of the page, in files that only their owner can read', () => {
    expect(page.left).toEqual([]);
    for (const name of ['orch.dump', 'base/base.tar.gz'])
      expect(statSync(join(path('backup'), name)).mode & 0o777).toBe(0o600);
  });
});

const orchctl = (args: readonly string[], url: string): string =>
  execFileSync(process.execPath, [ORCHCTL, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ORCH_POSTGRES_URL: url },
  });

import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, EXECUTABLE, tail } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { OwnedObject } from './owned-object.js';
import { PacedWriters } from './paced-writers.js';
import { expectCaughtUp, openReflectors, populate } from './population.js';
import { type Reflector, total } from './reflector.js';

/** `services/orch/bin/orch.js` of the release before, built; this build stands in for it when absent. */
const PREVIOUS = process.env.PREVIOUS_EXECUTABLE ?? EXECUTABLE;
const WATCHES = 40;

let dir: string;
let cluster: Cluster;
let api: Api;
let reflectors: Reflector[];
let collections: readonly string[];
let writers: PacedWriters;
let owned: OwnedObject;

beforeAll(async () => {
  if (!existsSync(PREVIOUS)) throw new Error(`PREVIOUS_EXECUTABLE: there is no ${PREVIOUS}`);
  dir = makeServerFolder('orch-upgrade-');
  mkdirSync(join(dir, 'releases'));
  const executable = (server: string) => install(server, PREVIOUS);
  cluster = await startCluster({
    dir,
    loadBalancer: 'haproxy',
    executable,
    serverArgs: ['--shutdown-delay-duration=3s'],
  });
  api = new Api(cluster);
  const population = await populate(api, 4, 10);
  collections = population.collections;
  reflectors = await openReflectors(api, collections, WATCHES);
  owned = await OwnedObject.apply(cluster, api);
  writers = new PacedWriters(api, population.paths, { rate: 40, writers: 8 });
});

afterAll(async () => {
  await writers?.stop();
  await Promise.all((reflectors ?? []).map((reflector) => reflector.stop()));
  api?.close();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Puts a release where a server is started from. */
function install(server: string, executable: string): string {
  const path = join(dir, 'releases', `${server}.js`);
  symlinkSync(executable, `${path}.new`);
  renameSync(`${path}.new`, path);
  return path;
}

/** Upgrades one server after the other, in the order of the upgrade page. */
async function roll(executable: string): Promise<void> {
  for (const server of [...cluster.apiServers, ...cluster.gateways]) {
    install(server.name, executable);
    await server.restart();
    await owned.expectKept();
  }
}

async function expectAllWell(): Promise<void> {
  await writers.stop();
  expect(writers.counts.lost, writers.failures.join('\n')).toBe(0);
  await expectCaughtUp(api, collections, reflectors);
  expect(total(reflectors)).toMatchObject({ lists: 0, gone: 0, cut: 0 });
}

async function inDatabase<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(cluster.postgresUrl);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const newestMigration = () =>
  inDatabase(async (client) => {
    const { rows } = await client.query('SELECT max(number) AS newest FROM cluster.schema_migration');
    return Number(rows[0].newest);
  });

const addMigration = (number: number) =>
  inDatabase((client) =>
    client.query('INSERT INTO cluster.schema_migration (number, name) VALUES ($1, $2)', [
      number,
      'of a release to come',
    ]),
  );

describe('two releases on one database', () => {
  test('an upgrade, server by server, and the way back lose no write and no owner of a field, and let no client list again', async () => {
    await roll(EXECUTABLE);
    await roll(PREVIOUS);
    await expectAllWell();
  }, 180_000);

  test('a server starts on a schema one step ahead, and serves beside those that made it', async () => {
    const newest = await newestMigration();
    await addMigration(newest + 1);
    const [first, second] = cluster.apiServers;
    // The release before may be a step behind what it has been rolled back on.
    if (first) install(first.name, EXECUTABLE);
    await first?.restart();
    const direct = cluster.apiServerUrls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
    const path = `${collections[0]}/object-0`;
    for (const [index, server] of direct.entries()) {
      const written = await server.patch(path, 'merge', { data: { value: `by-${index}` } });
      expect(written.status, written.text).toBe(200);
      const read = await direct[1 - index]?.get(path);
      expect(read?.json().data?.value).toBe(`by-${index}`);
    }
    for (const server of direct) server.close();
    expect(second?.running).toBe(true);
    await expectCaughtUp(api, collections, reflectors);
  });

  test('a server refuses a schema further ahead and says what to do; those that run go on', async () => {
    await addMigration((await newestMigration()) + 1);
    const [first, second] = cluster.apiServers;
    await first?.stop();
    await expect(first?.start()).rejects.toThrow(/did not start/);
    expect(tail(first?.logFile ?? '')).toMatch(
      /schema is at \d+, this release understands up to \d+.*run a newer release/s,
    );
    const { status } = await api.patch(`${collections[0]}/object-1`, 'merge', { data: { value: 'still' } });
    expect(status).toBe(200);
    expect(second?.running).toBe(true);
    await expectCaughtUp(api, collections, reflectors);
  });
});

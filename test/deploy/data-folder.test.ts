import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { descendants, isAlive, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { databaseProcesses, nameOf, postmasters, RawStandalone, titleOf } from './raw-standalone.js';

const WAIT_MS = 60_000;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let dir: string;
let dataDir: string;
let watching: NodeJS.Timeout;
/** Most postmasters that were seen on the folder at a time. */
let mostPostmasters: number;
const servers: RawStandalone[] = [];
const apis: Api[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orch-folder-'));
  dataDir = join(dir, 'data');
  writeFileSync(join(dir, 'tokens.csv'), 'tester,tester,tester,"system:masters"\n');
  mostPostmasters = 0;
  watching = setInterval(() => {
    mostPostmasters = Math.max(mostPostmasters, postmasters(dataDir).length);
  }, 50);
});
afterEach(async () => {
  clearInterval(watching);
  for (const api of apis.splice(0)) api.close();
  for (const server of servers.splice(0)) if (!server.hasEnded) server.child.kill('SIGKILL');
  kill(...databaseProcesses(dataDir));
  await waitUntil('the database is gone', WAIT_MS, () => databaseProcesses(dataDir).length === 0);
  rmSync(dir, { recursive: true, force: true });
  expect(mostPostmasters).toBeLessThanOrEqual(1);
});

async function start(): Promise<RawStandalone> {
  const server = await RawStandalone.start(dataDir, `--token-auth-file=${join(dir, 'tokens.csv')}`);
  servers.push(server);
  return server;
}

const isServing = (server: RawStandalone): boolean => server.log.includes('serving on');

const serves = (server: RawStandalone): Promise<void> =>
  waitUntil('it serves', WAIT_MS, () => {
    if (server.hasEnded) throw new Error(server.log);
    return isServing(server);
  });

function apiOf(server: RawStandalone): Api {
  const api = new Api({ url: server.plainUrl, token: 'tester' });
  apis.push(api);
  return api;
}

/** Writes until that fails; the names of what is acknowledged are added to `to`. */
async function writeOn(api: Api, to: string[]): Promise<void> {
  for (;;) {
    const answer = await api.post(CONFIG_MAPS, { metadata: { generateName: 'a-' } }).catch(() => undefined);
    if (answer?.status !== 201) return;
    to.push(answer.json().metadata.name);
  }
}

async function namesAt(server: RawStandalone): Promise<Set<string>> {
  const { items } = (await apiOf(server).get(CONFIG_MAPS)).json<{ items: { metadata: { name: string } }[] }>();
  return new Set(items.map(({ metadata }) => metadata.name));
}

/** Returns the guard processes, which stop the database when the server ends. */
const guardsOf = (server: RawStandalone): number[] =>
  descendants(server.pid).filter((pid) => titleOf(pid).includes('postgres-guard'));

/** Also where some are gone by now. */
function kill(...pids: readonly number[]): void {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

test('a second server is refused in a line while the first lives, which does not notice', async () => {
  const first = await start();
  await serves(first);
  const api = apiOf(first);
  expect((await api.post(CONFIG_MAPS, { metadata: { name: 'before' } })).status).toBe(201);
  const [postmaster] = postmasters(dataDir);
  const second = await start();
  expect(await second.ended()).toBe(1);
  const refusal = `another server uses ${join(dataDir, 'postgres')}: stop it, or give this one a folder of its own`;
  expect(second.log).toContain(refusal);
  expect(postmasters(dataDir)).toEqual([postmaster]);
  expect((await api.post(CONFIG_MAPS, { metadata: { name: 'after' } })).status).toBe(201);
});

test('of two that start at the same moment on a new folder one serves, and the other is refused', async () => {
  const both = await Promise.all([start(), start()]);
  await waitUntil('one serves', WAIT_MS, () => both.some(isServing));
  const [refused] = both.filter((server) => !isServing(server));
  expect(await refused?.ended()).toBe(1);
  expect(refused?.log).toContain('another server uses');
  const [winner] = both.filter(isServing);
  expect((await apiOf(winner as RawStandalone).post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
});

/** Processes that are killed together with a server under writes, before the next one starts. */
const DEATHS: Readonly<Record<string, (server: RawStandalone) => void>> = {
  'its database is being stopped by its guard': () => undefined,
  'nobody stops its database': (server) => kill(...guardsOf(server)),
  'its database does not answer': (server) => {
    kill(...guardsOf(server));
    for (const pid of postmasters(dataDir)) process.kill(pid, 'SIGSTOP');
  },
  'its database was killed too, but for the sessions': (server) => kill(...guardsOf(server), ...postmasters(dataDir)),
  'all of its database was killed too': (server) => kill(...guardsOf(server), ...databaseProcesses(dataDir)),
};

test('the next takes over at once after kill -9, whatever else has died or lives, and has all that was acknowledged', async () => {
  const acknowledged: string[] = [];
  let server = await start();
  await serves(server);
  for (const [what, die] of Object.entries(DEATHS)) {
    const before = acknowledged.length;
    const writing = writeOn(apiOf(server), acknowledged);
    await waitUntil('it is written', WAIT_MS, () => acknowledged.length > before + 10);
    const [postmaster = 0] = postmasters(dataDir);
    die(server);
    kill(server.pid);
    await writing;
    server = await start();
    await serves(server);
    expect(isAlive(postmaster), what).toBe(false);
    const names = await namesAt(server);
    expect(
      acknowledged.filter((name) => !names.has(name)),
      what,
    ).toEqual([]);
  }
});

test('the next takes over from one that was killed while it made its database, or while it started', async () => {
  for (const name of ['initdb', 'postgres']) {
    const first = await start();
    const found = () => databaseProcesses(dataDir).filter((pid) => nameOf(pid) === name);
    await waitUntil(`${name} runs`, WAIT_MS, () => found().length > 0);
    kill(...guardsOf(first), first.pid);
  }
  const last = await start();
  await serves(last);
  expect(execFileSync('ls', [join(dataDir, 'postgres')], { encoding: 'utf8' })).not.toContain('data.new');
  expect((await apiOf(last).post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
});

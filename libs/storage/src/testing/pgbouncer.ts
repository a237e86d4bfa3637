import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import { findIdentity } from '../embedded/identity.js';
import { installPackages } from './system-packages.js';

export interface PgBouncer {
  /** Leads to the server behind it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A PgBouncer that lends so many sessions with a server, each for one transaction. @throws when it cannot be started */
export async function startPgBouncer(serverUrl: string, sessions = 4): Promise<PgBouncer> {
  await installPackages('pgbouncer');
  const { hosts, user, password = '', database } = parseDatabaseUrl(serverUrl);
  const [host] = hosts;
  const identity = await findIdentity(undefined);
  const dir = await mkdtemp(join(tmpdir(), 'pgbouncer-test-'));
  const port = await freePort();
  const files = {
    'users.txt': `"${user}" "${password}"\n`,
    'pgbouncer.ini': `
[databases]
${database} = host=${host?.host} port=${host?.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(dir, 'users.txt')}
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 200
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  if (identity.switched) {
    await chmod(dir, 0o755);
    for (const name of Object.keys(files)) await chown(join(dir, name), identity.uid, identity.gid);
  }
  const child = spawn('/usr/sbin/pgbouncer', [join(dir, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...identity.spawnAs,
  });
  await listening(child, port);
  return {
    url: `postgres://${encodeURIComponent(user)}@127.0.0.1:${port}/${database}`,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

const ATTEMPTS = 100;

async function listening(child: ChildProcess, port: number): Promise<void> {
  let log = '';
  let ended = false;
  child.stderr?.on('data', (text: Buffer) => {
    log = (log + text).slice(-4000);
  });
  child.once('exit', () => (ended = true));
  child.once('error', (error) => {
    log += String(error);
    ended = true;
  });
  for (let attempt = 0; attempt < ATTEMPTS && !ended; attempt++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`pgbouncer does not listen: ${log}`);
}

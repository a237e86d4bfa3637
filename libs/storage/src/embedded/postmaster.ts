import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parseDatabaseUrl } from '../connection-url.js';

/** Pid of the postmaster that holds a data directory, if one is alive. */
export async function readPostmaster(data: string): Promise<number | undefined> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return undefined;
  // Pids are reused: after a crash of the machine the number may be anybody's. A postmaster works in its data directory.
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return directory === undefined || directory === data ? pid : undefined;
}

/** Whether a server accepts sessions within so many milliseconds. */
export async function waitUntilReady(url: string, timeout: number): Promise<boolean> {
  const { hosts, user, password, database } = parseDatabaseUrl(url);
  const deadline = performance.now() + timeout;
  while (performance.now() < deadline) {
    const client = new pg.Client({ ...hosts[0], user, password, database, connectionTimeoutMillis: 1000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await pause(20);
    }
  }
  return false;
}

/** Asks a postmaster to shut down (fast), and waits for nothing. */
export function askPostmaster(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGINT');
}

/** Asks a postmaster to shut down, then insists, and waits until it is gone. */
export async function stopPostmaster(pid: number): Promise<void> {
  const signals: [NodeJS.Signals, number][] = [
    ['SIGINT', 15_000],
    ['SIGQUIT', 5000],
    ['SIGKILL', 5000],
  ];
  for (const [signal, patience] of signals) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await gone(pid, performance.now() + patience)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not end`);
}

/** Resolves when a process that is not our child has ended. */
export async function watchPostmaster(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(500, undefined, { ref: false });
}

async function gone(pid: number, deadline: number): Promise<boolean> {
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await pause(10);
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

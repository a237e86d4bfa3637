import { readFileSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import { sqlState } from '../connections/failures.js';

/** Pid of the postmaster that holds a data directory, if one is alive. */
export async function readPostmaster(data: string): Promise<number | undefined> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isOurs(pid) || !isAlive(pid)) return undefined;
  return (await isPostmasterOf(pid, data)) ? pid : undefined;
}

/** Whether a pid is a postmaster of the folder. Pids are reused, but a postmaster works in its data directory. */
async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (directory !== undefined) return directory === data;
  // In a container root may not read the directory. The name of the program is readable by all, where there is a /proc.
  const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined);
  return program === undefined || program === 'postgres\n';
}

/** Whether this user may signal a process: it is the user's own, or of the user that root has chosen. */
function isOurs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** SQLSTATE of a server that starts, recovers or shuts down. */
const CANNOT_CONNECT_NOW = '57P03';

/**
 * Whether a server accepts sessions. Gives up after `silence` milliseconds without an answer, but not while the server
 * reports crash recovery, which may take any time.
 * @param ending gives up at once
 */
export async function waitUntilReady(url: string, silence: number, ending?: AbortSignal): Promise<boolean> {
  const { hosts, user, password, database } = parseDatabaseUrl(url);
  let deadline = performance.now() + silence;
  while (performance.now() < deadline && !ending?.aborted) {
    const client = new pg.Client({ ...hosts[0], user, password, database, connectionTimeoutMillis: 1000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      if (isRecovering(error)) deadline = performance.now() + silence;
      await pause(20);
    }
  }
  return false;
}

/** Whether the server reports recovery; a server that shuts down answers with the same SQLSTATE. */
const isRecovering = (error: unknown): boolean =>
  sqlState(error) === CANNOT_CONNECT_NOW && !(error as Error).message.includes('shutting down');

/** Asks a postmaster to shut down (fast), without waiting. */
export function askPostmaster(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGINT');
}

/**
 * Asks a postmaster to shut down, then insists, and waits until it is gone. A slow one is not given the time to write
 * its last checkpoint and recovers at its next start: nothing committed is lost, and the caller waits ten seconds at
 * most.
 */
export async function stopPostmaster(pid: number): Promise<void> {
  const signals: [NodeJS.Signals, number][] = [
    ['SIGINT', 5000],
    ['SIGQUIT', 1000],
    ['SIGKILL', 5000],
  ];
  for (const [signal, patience] of signals) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await gone(pid, performance.now() + patience)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not end`);
}

async function gone(pid: number, deadline: number): Promise<boolean> {
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await pause(10);
  }
  return true;
}

/** Whether a process runs. A zombie does not, though it can be signalled. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/** Whether a process is dead but not reaped: the first process of a container may reap only its own children. */
function isZombie(pid: number): boolean {
  try {
    // The name of the program, in parentheses, may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

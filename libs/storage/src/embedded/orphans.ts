import { readdir, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from './postmaster.js';

/** Milliseconds for which processes are asked to end before they are killed. */
const PATIENCE = 2000;
const PROGRAMS: ReadonlySet<string> = new Set(['postgres', 'initdb']);

/**
 * Ends processes of a server whose postmaster is gone, as after a SIGKILL, and an `initdb` whose parent is gone: a busy
 * one continues until its statement is done, a stopped one for ever, and no other server starts on the data while they
 * run. Only the holder of the folder's lock calls this, and only when no postmaster runs. Does nothing without `/proc`.
 * @throws Error when one of them cannot be ended
 */
export async function endOrphans(data: string): Promise<void> {
  const left = await processesOf(data);
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of left) signalIfAlive(pid, signal);
    for (const deadline = performance.now() + PATIENCE; performance.now() < deadline; await pause(10)) {
      if (!left.some(isAlive)) return;
    }
  }
  throw new Error(`processes of an earlier PostgreSQL on ${data} do not end: ${left.filter(isAlive).join(', ')}`);
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Every process of a server works in its data directory. */
async function processesOf(data: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const isOne = await Promise.all(pids.map((pid) => isServerProcess(pid, data)));
  return pids.filter((_, at) => isOne[at]);
}

async function isServerProcess(pid: number, data: string): Promise<boolean> {
  const link = (name: string) => readlink(`/proc/${pid}/${name}`).catch(() => '');
  if ((await link('cwd')) !== data) return false;
  // The kernel marks the program of a process when its file was replaced, as by an upgrade.
  return PROGRAMS.has(basename((await link('exe')).replace(/ \(deleted\)$/, '')));
}

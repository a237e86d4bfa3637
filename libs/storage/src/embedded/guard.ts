import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Identity } from './identity.js';

/** What stands by for the end of this process. */
export interface Guard {
  /** Ends it without anything being done: the server is gone, or whoever stops it sees to that. */
  release(): void;
}

/** How often the lock is looked for, a second apart: a server that has just started writes it once it has read its settings. */
const LOOKS = 15;

/**
 * Waits for a line, or for the end of its input without one: then nobody is left to stop the server. It asks for a fast shutdown only
 * when the lock of the folder, in which it works, names that server: its number might be somebody else's by then. A lock that is not
 * there, or has no line yet, is looked for again while the server runs.
 */
const SCRIPT = `read -r line && exit
looks=${LOOKS}
until read -r held <postmaster.pid; do
  looks=$((looks - 1))
  kill -0 "$1" && [ "$looks" -gt 0 ] || exit
  sleep 1
done
[ "$held" = "$1" ] && kill -INT "$1"`;

/**
 * Has a server of PostgreSQL shut down once this process is gone, by whatever cause, SIGKILL included: a shell waits at the other end
 * of a pipe, which the kernel closes with this process. It runs as the user of the server, so it can signal nobody else's processes.
 * Where there is no shell, the server goes on, and the next start stops it.
 * @param data folder of the server
 */
export function guardServer(pid: number, data: string, { spawnAs }: Identity): Guard {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'postgres-guard', String(pid)], {
    cwd: data,
    env: {},
    // An interrupt from the terminal is for this process to handle.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...spawnAs,
  });
  shell.on('error', () => undefined).unref();
  shell.stdin.on('error', () => undefined);
  (shell.stdin as Socket).unref();
  return { release: () => shell.stdin.end('\n') };
}

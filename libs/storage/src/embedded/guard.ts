import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { OsUser } from './identity.js';

/** A guard that acts when this process ends. */
export interface Guard {
  /** Dismisses the guard without stopping the server: the server is gone, or its owner stops it. */
  release(): void;
}

/** Attempts to find the lock, a second apart: a new server writes it once it has read its settings. */
const LOOKS = 15;

/**
 * Waits for a line (dismissed), or for the end of its input without one: then its parent process is dead. It asks for a
 * fast shutdown only when the lock of the folder, which is its working directory, names that server, as the pid might
 * have been reused. A lock that is missing, or has no line yet, is looked for again while the server runs.
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
 * Shuts PostgreSQL down when this process ends for whatever reason, SIGKILL included: a shell waits at the other end of
 * a pipe, which the kernel closes with this process. The shell runs as the user of the server, so it cannot signal
 * other users' processes. Without a shell the server keeps running, and the next start stops it.
 * @param data folder of the server
 */
export function guardServer(pid: number, data: string, { spawnAs }: OsUser): Guard {
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

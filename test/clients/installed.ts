import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { which } from '../../tools/up/index.js';

/** From an empty cache, on a busy machine. */
const INSTALL_MS = 3_600_000;

/**
 * A folder of the user's cache that `fill` has filled once. `name` tells everything that its content depends on. An
 * installation that fails leaves nothing behind and throws; of two at once, the one that is done first stays.
 */
export function installed(name: string, fill: (folder: string) => void): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'orch-test');
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const making = join(cache, `making-${process.pid}`, name);
  mkdirSync(making, { recursive: true });
  try {
    fill(making);
    if (!existsSync(folder)) renameSync(making, folder);
  } finally {
    rmSync(dirname(making), { recursive: true, force: true });
  }
  return folder;
}

/** Path of a program. Throws, with what to install, where there is none: a client that cannot be tried is a failure. */
export function needed(program: string, install: string): string {
  const found = which(program);
  if (found === undefined) throw new Error(`${program} is not on the path: install ${install}`);
  return found;
}

/** Runs a step of an installation to its end, with further variables of its environment; throws with what it said when it fails. */
export function install(command: string, args: readonly string[], cwd?: string, env: NodeJS.ProcessEnv = {}): void {
  execFileSync(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: INSTALL_MS,
    maxBuffer: 64 << 20,
  });
}

import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../tools/up/proc.js';
import { parentOfRuns, RUN_FOLDER, RUN_PREFIX } from './support/run-folder.js';

/**
 * Makes the folder in which the servers of a run keep their data, and removes it at the end. Every project calls this, and the first call
 * decides. Folders of runs that were killed are removed too: they lie in memory where there is enough of it.
 */
export default function setup(): (() => void) | undefined {
  if (process.env[RUN_FOLDER] !== undefined) return undefined;
  const parent = parentOfRuns();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `${RUN_PREFIX}${process.pid}-`));
  chmodSync(folder, 0o711); // PostgreSQL may run as another user
  process.env[RUN_FOLDER] = folder;
  // Hundreds of processes load the same modules: all but the first find them compiled.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled');
  return () => rmSync(folder, { recursive: true, force: true });
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = new RegExp(`^${RUN_PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { unitsToRun } from './selection/index.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Unit tests that do not lie in packages, and are always run. */
const OUTSIDE = ['test/', 'tools/'];

/** Runs the unit tests, those alone that `selection/` chooses. */
function main(): number {
  const chosen = unitsToRun();
  const filters = chosen === undefined ? [] : [...OUTSIDE, ...chosen];
  return spawnSync('npx', ['vitest', 'run', ...filters], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

process.exitCode = main();

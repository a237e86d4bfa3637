import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The record, by its path from the root of the workspace. */
const RECORD = 'test/last-full-run.json';
const DAY_MS = 86_400_000;

/** Days after which all tests are tried again, whatever has changed. */
export const FULL_RUN_DAYS = 7;

/** When every test was last tried and passed. */
export interface FullRun {
  /** Hash of the commit that was tried. */
  readonly commit: string;
  /** The day of the run, as `YYYY-MM-DD` (UTC). */
  readonly day: string;
}

/** The run that is on record; undefined where it is older than `FULL_RUN_DAYS` at a time, in milliseconds since 1970. */
export function lastFullRun(root: string, now: number): FullRun | undefined {
  const run = JSON.parse(readFileSync(join(root, RECORD), 'utf8')) as FullRun;
  const age = now - Date.parse(run.day);
  return age >= -DAY_MS && age <= FULL_RUN_DAYS * DAY_MS ? run : undefined;
}

/**
 * Returns the paths of files that have changed since a run, committed or not; undefined where that cannot be said, as in a shallow clone.
 */
export function changedSince(root: string, { commit }: FullRun): readonly string[] | undefined {
  try {
    git(root, 'merge-base', '--is-ancestor', commit, 'HEAD');
    return [
      ...git(root, 'diff', '--name-only', '--no-renames', '-z', commit),
      ...git(root, 'ls-files', '-z', '--others', '--exclude-standard'),
    ];
  } catch {
    return undefined;
  }
}

/**
 * Puts the commit that is checked out on record, as one whose tests have all passed.
 * @param tried the commit that was checked out when the tests began
 * @throws Error where there are changes that are not committed, or another commit is checked out meanwhile
 */
export function recordFullRun(root: string, now: number, tried: string): void {
  const changes = git(root, 'status', '--porcelain', '-z');
  if (changes.length > 0) throw new Error(`not committed, so that no commit was tried: ${changes.join(', ')}`);
  const [head = ''] = git(root, 'rev-parse', 'HEAD');
  const commit = head.trim();
  if (commit !== tried) throw new Error(`the tests began at ${tried || 'no commit'}, and ${commit} is checked out`);
  const run: FullRun = { commit, day: new Date(now).toISOString().slice(0, 10) };
  writeFileSync(join(root, RECORD), `${JSON.stringify(run, undefined, 2)}\n`);
}

/** Files below `test/` and `tools/` that may import one another. */
export const testSources = (root: string): string[] =>
  git(root, 'ls-files', '-z', 'test/*.ts', 'tools/*.ts').filter((path) => existsSync(join(root, path)));

/** Files of unit tests of the packages. */
export const unitTests = (root: string): string[] =>
  git(
    root,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    'libs/*/src/*.test.ts',
    'services/*/src/*.test.ts',
  ).filter((path) => existsSync(join(root, path)));

function git(root: string, ...args: string[]): string[] {
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return output.split('\0').filter((part) => part !== '');
}

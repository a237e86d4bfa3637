import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changedSince, type FullRun, lastFullRun, recordFullRun, testSources, unitTests } from './last-full-run.js';

const DAY = '2026-11-20';
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

let root: string;
let run: FullRun;

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const write = (path: string, text: string) => writeFileSync(join(root, path), text);

function commit(): string {
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message=more');
  return git('rev-parse', 'HEAD');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'full-run-'));
  mkdirSync(join(root, 'test/deep'), { recursive: true });
  git('init', '--quiet');
  write('test/deep/one.ts', '1');
  write('two.md', '2');
  run = { commit: commit(), day: DAY };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('what has changed since a run', () => {
  test('is nothing at first', () => {
    expect(changedSince(root, run)).toEqual([]);
  });

  test('is what was committed, what was not, what is new, both names of what was moved, and what is gone', () => {
    write('three.md', '3');
    commit();
    git('mv', 'two.md', 'moved.md');
    write('test/deep/one.ts', '11');
    write('new\nline.md', '4');
    expect([...(changedSince(root, run) ?? [])].sort()).toEqual(
      ['three.md', 'two.md', 'moved.md', 'test/deep/one.ts', 'new\nline.md'].sort(),
    );
  });

  test('cannot be said of a commit that is unknown, or not among those before', () => {
    expect(changedSince(root, { ...run, commit: 'f'.repeat(40) })).toBeUndefined();
    expect(changedSince(root, { ...run, commit: '--help' })).toBeUndefined();
    const first = git('symbolic-ref', '--short', 'HEAD');
    git('checkout', '--quiet', '-b', 'aside');
    write('aside.md', '1');
    const aside = commit();
    git('checkout', '--quiet', first);
    expect(changedSince(root, { ...run, commit: aside })).toBeUndefined();
  });
});

describe('the record', () => {
  test('holds the commit and the day of a run', () => {
    recordFullRun(root, at(DAY), run.commit);
    expect(lastFullRun(root, at(DAY))).toEqual(run);
    expect(lastFullRun(root, at('2026-11-26'))).toEqual(run);
  });

  test('is of no use after a week, nor where it comes from the future', () => {
    recordFullRun(root, at(DAY), run.commit);
    expect(lastFullRun(root, at('2026-11-27'))).toBeUndefined();
    expect(lastFullRun(root, at('2026-11-18'))).toBeUndefined();
  });

  test('is not written of what no commit holds', () => {
    write('two.md', '22');
    expect(() => recordFullRun(root, at(DAY), run.commit)).toThrow('two.md');
  });

  test('is not written where another commit is checked out than at the start', () => {
    write('two.md', '22');
    commit();
    expect(() => recordFullRun(root, at(DAY), run.commit)).toThrow(run.commit);
  });
});

test('sources of tests are those that are committed', () => {
  write('test/deep/data.json', '{}');
  write('outside.ts', '1');
  commit();
  expect(testSources(root)).toEqual(['test/deep/one.ts']);
});

test('sources of tests are not those that are gone, committed or not', () => {
  rmSync(join(root, 'test/deep/one.ts'));
  expect(testSources(root)).toEqual([]);
});

test('unit tests are those of packages, committed or new, that are there', () => {
  for (const folder of ['libs/a/src/deep', 'services/b/src', 'libs/a/bench'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const path of [
    'libs/a/src/deep/one.test.ts',
    'libs/a/src/one.ts',
    'libs/a/bench/two.test.ts',
    'libs/a/src/gone.test.ts',
  ])
    write(path, '1');
  commit();
  rmSync(join(root, 'libs/a/src/gone.test.ts'));
  write('services/b/src/new.test.ts', '1');
  expect(unitTests(root).sort()).toEqual(['libs/a/src/deep/one.test.ts', 'services/b/src/new.test.ts']);
});

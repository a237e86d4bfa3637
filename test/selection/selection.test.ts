import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BELOW_EVERYTHING, BELOW_UNITS, PERIODIC_SUITES } from './periodic-suites.js';
import { leftOut, type Selection } from './selection.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const SUITES = {
  'faults/store.test.ts': ['libs/storage', 'libs/feed/src/bus.ts'],
  'faults/trust.test.ts': ['libs/tls'],
  'clients/python/python.test.ts': ['libs/kinds'],
};
const IMPORTERS: Readonly<Record<string, readonly string[]>> = {
  'test/support/cluster.ts': ['test/faults/store.test.ts', 'test/cluster/other.test.ts'],
  'test/faults/trust.test.ts': ['test/faults/trust.test.ts'],
};

const leftOutAfter = (changed: readonly string[], more: Partial<Selection> = {}) =>
  leftOut({
    changed,
    suites: SUITES,
    belowEverything: ['package-lock.json', 'test/selection'],
    testsOf: (path) => IMPORTERS[path] ?? [],
    ...more,
  });

const ALL = Object.keys(SUITES);
const allBut = (...names: string[]) => ALL.filter((name) => !names.includes(name));

describe('a file of tests is tried', () => {
  test('where a file of its rooms has changed, or one that it names', () => {
    expect(leftOutAfter(['libs/storage/src/deep/writer.ts'])).toEqual(allBut('faults/store.test.ts'));
    expect(leftOutAfter(['libs/feed/src/bus.ts'])).toEqual(allBut('faults/store.test.ts'));
    expect(leftOutAfter(['libs/tls/package.json', 'libs/kinds/src/pod.ts'])).toEqual(['faults/store.test.ts']);
  });

  test('where what it imports has changed, or itself', () => {
    expect(leftOutAfter(['test/support/cluster.ts'])).toEqual(allBut('faults/store.test.ts'));
    expect(leftOutAfter(['test/faults/trust.test.ts'])).toEqual(allBut('faults/trust.test.ts'));
  });

  test('where data have changed that lie nearest to it', () => {
    expect(leftOutAfter(['test/clients/python/requirements.txt'])).toEqual(allBut('clients/python/python.test.ts'));
    expect(leftOutAfter(['test/clients/versions.json'])).toEqual(allBut('clients/python/python.test.ts'));
    expect(leftOutAfter(['test/clients/go-agent/agent.go'])).toEqual(allBut('clients/python/python.test.ts'));
    expect(leftOutAfter(['test/faults/seeds.jsonl'])).toEqual(['clients/python/python.test.ts']);
    expect(leftOutAfter(['test/sight/measured.json']), 'nothing lies beside it').toEqual(ALL);
  });

  test('where what everything stands on has changed', () => {
    expect(leftOutAfter(['package-lock.json'])).toEqual([]);
    expect(leftOutAfter(['test/selection/selection.ts'])).toEqual([]);
  });
});

describe('it is left out', () => {
  test('where nothing has changed', () => {
    expect(leftOutAfter([])).toEqual(ALL);
  });

  test('where files have changed whose names only begin as its rooms do', () => {
    expect(leftOutAfter(['libs/storage-more/src/a.ts', 'libs/feed/src/bus.ts.md', 'package-lock.json.md'])).toEqual(
      ALL,
    );
  });

  test('where other rooms, tools and pages have changed', () => {
    expect(leftOutAfter(['libs/audit/src/a.ts', 'docs/plan.md', 'tools/site/a.mjs', 'README.md'])).toEqual(ALL);
  });
});

test('each file of periodic tests, and what it is about, exists', () => {
  const paths = [
    ...Object.keys(PERIODIC_SUITES).map((name) => join('test', name)),
    ...Object.values(PERIODIC_SUITES).flat(),
    ...BELOW_EVERYTHING,
    ...BELOW_UNITS,
  ];
  expect([...new Set(paths)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

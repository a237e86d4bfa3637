import { expect, test } from 'vitest';
import { affectedUnits } from './units.js';

const TESTS = [
  'libs/a/src/one.test.ts',
  'libs/a/src/two.test.ts',
  'libs/b/src/three.test.ts',
  'services/c/src/four.test.ts',
];
const IMPORTERS: Readonly<Record<string, readonly string[]>> = {
  'libs/a/src/one.ts': ['libs/a/src/one.test.ts', 'libs/b/src/three.test.ts'],
  'libs/a/src/two.test.ts': ['libs/a/src/two.test.ts'],
  'libs/a/src/index.ts': ['libs/b/src/three.test.ts'],
  'docs/reference.md': ['services/c/src/four.test.ts'],
};

const affectedBy = (...changed: string[]) =>
  affectedUnits({
    changed,
    tests: TESTS,
    belowEverything: ['proto', 'vitest.config.ts'],
    testsOf: (path) => IMPORTERS[path] ?? [],
  });

test('unit tests run where what they import has changed, or themselves, or a file that they read', () => {
  expect(affectedBy('libs/a/src/one.ts')).toEqual(['libs/a/src/one.test.ts', 'libs/b/src/three.test.ts']);
  expect(affectedBy('libs/a/src/two.test.ts', 'docs/reference.md')).toEqual([TESTS[1], TESTS[3]]);
});

test('all of a package and of what imports it run where something changes that is no source', () => {
  const all = ['libs/a/src/one.test.ts', 'libs/a/src/two.test.ts', 'libs/b/src/three.test.ts'];
  for (const path of ['libs/a/package.json', 'libs/a/src/vectors.jsonl', 'libs/a/migrations/0001.sql'])
    expect(affectedBy(path), path).toEqual(all);
});

test('all run where what everything stands on has changed', () => {
  expect(affectedBy('proto/core/v1.proto')).toEqual(TESTS);
  expect(affectedBy('vitest.config.ts', 'README.md')).toEqual(TESTS);
});

test('none run where nothing has changed that any of them reads', () => {
  expect(affectedBy()).toEqual([]);
  expect(affectedBy('docs/plan.md', 'libs/a/src/nobody.ts', 'vitest.config.ts.md', 'protocol.md')).toEqual([]);
});

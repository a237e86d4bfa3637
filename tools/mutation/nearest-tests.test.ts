import { expect, test } from 'vitest';
import { nearestOf } from './nearest-tests.js';

const LINES: Readonly<Record<string, readonly string[]>> = {
  'a.ts': ['a.test.ts', 'b.test.ts', 'c.test.ts'],
  'b.ts': ['b.test.ts', 'd.test.ts', 'e.test.ts', 'f.test.ts'],
};
const nearest = (changed: readonly string[], most: number) => nearestOf(changed, (path) => LINES[path] ?? [], most);

test('the nearest test of each file comes before the second of any', () => {
  expect(nearest(['a.ts', 'b.ts'], 3)).toEqual({ tests: ['a.test.ts', 'b.test.ts', 'd.test.ts'], left: 3 });
  expect(nearest(['a.ts'], 1)).toEqual({ tests: ['a.test.ts'], left: 2 });
});

test('where there is room, all are run, each once', () => {
  const { tests, left } = nearest(['a.ts', 'b.ts'], 40);
  expect([...tests].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.test.ts`));
  expect(left).toBe(0);
});

test('tests that have changed are run, however many there are', () => {
  expect(nearest(['x.test.ts', 'y.test.ts', 'a.ts'], 1)).toEqual({ tests: ['x.test.ts', 'y.test.ts'], left: 3 });
  expect(nearest(['unknown.ts'], 40)).toEqual({ tests: [], left: 0 });
});

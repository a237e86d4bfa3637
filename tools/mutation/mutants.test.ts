import { describe, expect, it, test } from 'vitest';
import { isSource, linesOf } from './changed-lines.js';
import { mutantsOf, mutated, spread } from './mutants.js';

/** What each mutant of a text puts in the place of what. */
const faultsOf = (text: string, lines?: ReadonlySet<number>): string[] =>
  mutantsOf(text, lines).map(({ original, text: wrong }) => `${original} → ${wrong}`);

describe('mutants', () => {
  it.each<[string, string, string[]]>([
    ['bounds', 'f(a < b, a >= b);', ['f(a < b, a >= b); → ;', '< → <=', '>= → >']],
    ['sums', 'x = a - b * c;', ['- → +', '* → /']],
    ['operands', 'x = a && b;', ['a && b → a', 'a && b → b']],
    ['defaults', 'x = a ?? b;', ['a ?? b → a']],
    ['conditions, once each', 'if (a !== b) c = 1n;', ['a !== b → true', 'a !== b → false']],
    ['conditional expressions', 'x = !a ? b : c;', ['!a → true', '!a → false']],
    ['negations', 'x = !a;', ['!a → !!a']],
    ['refusals', 'throw a;', ['throw a; → ;']],
    ['calls, also those that are waited for', 'await a();', ['await a(); → ;']],
    ['spreads', 'x = { ...a }; y = [...b];', ['...a → ...{}', '...b → ...[]']],
    ['numbers', 'x = 1;', ['1 → 2']],
    ['numbers that bound something', 'x = 1_000;', ['1_000 → 1001', '1_000 → Number.MAX_SAFE_INTEGER']],
    ['what is true and false', 'x = [true, false];', ['true → false', 'false → true']],
    ['own members', 'x = Object.hasOwn(a, b.c);', ['Object.hasOwn(a, b.c) → (b.c in a)']],
    ['methods', 'x = a.every(f);', ['every → some']],
    ['filters', 'x = a.b.filter(f);', ['a.b.filter(f) → a.b']],
  ])('of %s', (_, text, expected) => {
    expect(faultsOf(text)).toEqual(expected);
  });

  it.each([
    ['types', 'type A = 1 | true; interface B { a: 2; } let c: { d: false }; f<3>;'],
    ['what is imported and exported', "import { a } from 'b'; export { c } from 'd';"],
    ['calls that cannot be left out', 'class A extends B { constructor() { super(); } }'],
    ['comments and texts', "// a < b\nx = '1 < 2';"],
  ])('are none of %s', (_, text) => {
    expect(faultsOf(text)).toEqual([]);
  });

  it('begin on the lines that are asked for', () => {
    const text = 'x = 1;\nx = [\n  2,\n  3,\n];\nx = 4;';
    expect(mutantsOf(text).map(({ line }) => line)).toEqual([1, 3, 4, 6]);
    expect(faultsOf(text, new Set([2, 4, 6]))).toEqual(['3 → 4', '4 → 5']);
  });

  it('are told from what is no TypeScript', () => {
    expect(() => mutantsOf('x = ;')).toThrow('the text is no TypeScript');
  });

  it('change one place, whatever stands before it', () => {
    const text = 'const ü = "𝕏"; // é\nx = a && b;';
    expect(mutantsOf(text).map((mutant) => mutated(text, mutant))).toEqual([
      'const ü = "𝕏"; // é\nx = a;',
      'const ü = "𝕏"; // é\nx = b;',
    ]);
  });
});

test('some of many are spread over all', () => {
  expect(spread([1, 2, 3], 3)).toEqual([1, 2, 3]);
  expect(spread([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4)).toEqual([0, 2, 5, 7]);
  expect(spread([1, 2], 0)).toEqual([]);
});

test('lines that a diff adds are those of sources', () => {
  const file = (path: string, ...hunks: string[]) => [`--- a/${path}`, `+++ b/${path}`, ...hunks];
  const diff = [
    ...file('libs/a/src/b.ts', '@@ -1 +1 @@', '-x', '+y', '@@ -9,0 +10,2 @@ f() {', '+p', '+q'),
    ...file('libs/a/src/b.test.ts', '@@ -0,0 +1,3 @@'),
    ...file('libs/a/src/gone.ts', '@@ -4,2 +3,0 @@', '-x', '-y'),
    '--- a/libs/a/src/c.ts',
    '+++ /dev/null',
    '@@ -1,2 +0,0 @@',
  ].join('\n');
  expect([...linesOf(diff)].map(([path, lines]) => [path, [...lines]])).toEqual([
    ['libs/a/src/b.ts', [1, 10, 11]],
    ['libs/a/src/gone.ts', []],
  ]);
});

test.each([
  ['libs/a/src/b/c.ts', true],
  ['services/a/src/b.ts', true],
  ['libs/a/src/b.test.ts', false],
  ['libs/a/src/testing/b.ts', false],
  ['libs/a/src/gen/b.ts', false],
  ['test/attack/b.ts', false],
  ['libs/a/src/b.json', false],
])('%s is mutated: %s', (path, expected) => {
  expect(isSource(path)).toBe(expected);
});

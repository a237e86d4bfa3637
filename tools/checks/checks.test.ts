import { describe, expect, it } from 'vitest';
import { directClocks } from './clocks.js';
import { longLines } from './doc-lines.js';
import { exportedNames, publicMembers } from './docstrings.js';
import { doublingWaits } from './doubling-waits.js';
import { wordsWithoutSubject } from './first-words.js';
import { longFunctions, wideFunctions } from './functions.js';
import { needlessExports, unusedFaceNames } from './needless-exports.js';
import { privateWords } from './private-words.js';
import { problemsOf, shrunk } from './ratchet.js';
import { largeFolders, largePackages, longFiles } from './sizes.js';
import { isSource, type Measured, parse } from './sources.js';
import { stringAccessors } from './string-accessors.js';
import { sharedTypeNames } from './type-names.js';

const A = 'libs/a/src/a.ts';
const B = 'libs/b/src/b.ts';

const texts = (files: Record<string, string>): Map<string, string> => new Map(Object.entries(files));
const sources = (files: Record<string, string>) => parse(texts(files));
const found = (measured: Measured) => Object.fromEntries(measured);
const lines = (count: number, line = '//'): string => `${line}\n`.repeat(count);

describe('a bound', () => {
  const check = (measured: Record<string, number>) => ({
    name: 'c',
    unit: 'lines',
    measured: new Map(Object.entries(measured)),
  });

  it('is broken by more than is tolerated, and by what is not', () => {
    expect(problemsOf(check({ a: 3, b: 1 }), { a: 2 })).toEqual([
      'c: a: 3 lines; tolerated: 2',
      'c: b: 1 lines; tolerated: none',
    ]);
  });

  it('is to be narrowed once less is left than is tolerated', () => {
    const known = { a: 3, b: 1 };
    expect(problemsOf(check({ a: 2 }), known)).toHaveLength(2);
    expect(shrunk(new Map([['a', 2]]), known)).toEqual({ a: 2 });
  });

  it('is never widened', () => {
    expect(shrunk(new Map(Object.entries({ a: 5, b: 1 })), { a: 3 })).toEqual({ a: 3 });
  });
});

describe('identifiers', () => {
  it('are counted by package where a word of them is our own, whatever its case', () => {
    const text = 'const MOST_TOLD = 1; class A { #told = 0; isOwnAffair() { return this.#told < MOST_TOLD; } }';
    expect(found(privateWords(sources({ [A]: text, [B]: 'export const toldOf = 1;' })))).toEqual({
      'libs/a': 3,
      'libs/b': 1,
    });
  });

  it('are not counted for longer words, members by strings and comments', () => {
    const text = "// told\nexport const [untold, saidan] = ['told', { 'said': 1 }];";
    expect(found(privateWords(sources({ [A]: text })))).toEqual({});
  });
});

describe('sizes', () => {
  it('of folders are bounded', () => {
    const files = (count: number) =>
      texts(Object.fromEntries(Array.from({ length: count }, (_, at) => [`libs/a/src/${at}.ts`, ''])));
    expect(found(largeFolders(files(24)))).toEqual({});
    expect(found(largeFolders(files(25)))).toEqual({ 'libs/a/src': 25 });
  });

  it('of packages are bounded, tools aside', () => {
    expect(found(largePackages(texts({ [A]: lines(6000), 'tools/up/a.ts': lines(7000) })))).toEqual({});
    expect(found(largePackages(texts({ [A]: lines(6000), 'libs/a/src/b.ts': '\n' })))).toEqual({ 'libs/a': 7 });
  });

  it('of files are bounded', () => {
    expect(found(longFiles(texts({ [A]: lines(300), [B]: lines(301) })))).toEqual({ [B]: 301 });
  });

  it('of functions are bounded, also within others and within classes', () => {
    const text = `function a() {\n${lines(33)}}\nclass B { c = () => {\n${lines(34)}}; }\nconst d = () => { e(() => {\n${lines(34)}}); };`;
    expect(found(longFunctions(sources({ [A]: text })))).toEqual({ [`${A} B.c`]: 36, [`${A} d`]: 36 });
  });

  it('of parameter lists are bounded', () => {
    const text = 'const a = (b, c, d, e, f) => 1; class G { constructor(b, c, d, e, f, g) {} }';
    expect(found(wideFunctions(sources({ [A]: text })))).toEqual({ [`${A} G.constructor`]: 6 });
  });
});

describe('docstrings', () => {
  it('are missed at exported names', () => {
    const text = '/** Is one. */\n// biome-ignore it\nexport const a = 1;\n// none\nexport type B = 1;\nconst c = 2;';
    expect(exportedNames(sources({ [A]: text }))).toEqual({ all: 2, missing: new Map([['libs/a', 1]]) });
  });

  it.each([
    ['of classes', 'export class A { a = 1; private b = 2; #c = 3; /** Is one. */ d = 4; e() {} }', 2],
    ['of interfaces', 'export interface A { a: 1; /** Is one. */ b: 2; }', 1],
    ['of object types', 'export type A = B & { a: 1 };', 1],
    ['declared by constructors', 'export class A { constructor(readonly a: 1, private readonly b: 2, c: 3) {} }', 1],
    ['but of none that is not exported', 'class A { a = 1; }', 0],
    [
      'but not where the constructor is explained',
      'export class A { /** @param a is one */ constructor(readonly a: 1) {} }',
      0,
    ],
    [
      'but not where an interface has it',
      'interface B { /** Is one. */ a: 1 } export class A implements B { a = 1; }',
      0,
    ],
  ])('are missed at public members %s', (_, text, missing) => {
    expect(found(publicMembers(sources({ [A]: text })).missing)).toEqual(missing === 0 ? {} : { 'libs/a': missing });
  });

  it('need a subject', () => {
    const text = '/** What is. */\n/**\n * Of those. */\n/** Returns what is. */\n/** Whatever. */';
    expect(found(wordsWithoutSubject(texts({ [A]: text })))).toEqual({ 'libs/a': 2 });
  });
});

describe('exports', () => {
  it('of types have a name of their own', () => {
    const text = 'export interface Role {} export type Own = 1; export const role = 1;';
    expect(found(sharedTypeNames(sources({ [A]: text, [B]: 'export class Role {} class Own {}' })))).toEqual({
      Role: 2,
    });
  });

  const faces = new Map([['@orch/a', A]]);
  const needless = (importer: string) => [
    ...needlessExports(sources({ [A]: 'export const a = 1; export type B = 1;', [B]: importer }), faces).keys(),
  ];

  it.each([
    ['by nobody', 'const a = 1;', [`${A} a`, `${A} B`]],
    ['by name', "import { a as b } from '../../a/src/a.js';", [`${A} B`]],
    ['by the name of the package', "import type { B } from '@orch/a';", [`${A} a`]],
    ['by who passes them on', "export { a } from '@orch/a';", [`${A} B`]],
    ['as a whole', "import * as a from '@orch/a';", []],
    ['at run time', "const a = await import('@orch/a');", []],
    ['in a type', "let a: typeof import('@orch/a');", []],
  ])('are imported %s', (_, importer, expected) => {
    expect(needless(importer)).toEqual(expected);
  });
});

describe('names of a face', () => {
  const unused = (importer: string) => {
    const face = "export { a, type B as C } from './b.js'; export * from './d.js';";
    return found(unusedFaceNames(sources({ [A]: face, [B]: importer }), new Map([['@orch/a', A]])));
  };

  it('are imported by somebody, as they are called there', () => {
    expect(unused("import { a, type C } from '@orch/a';")).toEqual({});
    expect(unused("import { a, B } from '@orch/a';")).toEqual({ 'libs/a': 1 });
    expect(unused('')).toEqual({ 'libs/a': 2 });
  });
});

describe('clocks of the system', () => {
  it('are found wherever they are used directly', () => {
    const text = `import { setTimeout as sleep } from 'node:timers/promises';
      setInterval(f, 1); const now = Date.now; performance.now();`;
    expect(found(directClocks(sources({ [A]: text })))).toEqual({ [A]: 4 });
  });

  it('are not what only has their name', () => {
    const text =
      'socket.setTimeout(1); let t: ReturnType<typeof setTimeout>; clock.now(); const a = { setTimeout: f };';
    expect(found(directClocks(sources({ [A]: text, 'libs/runtime/src/a.ts': 'setTimeout(f, 1);' })))).toEqual({});
  });
});

describe('waits that double', () => {
  it.each([
    'this.#pause = Math.min(this.#pause * 2, MAX_PAUSE);',
    'for (let backoff = FIRST; ; backoff *= 2) {',
    'const wait = FIRST_MS * 2 ** attempt;',
    'this.#lookMs = Math.min(2 * this.#lookMs, LONGEST_MS);',
  ])('are counted: %s', (line) => {
    expect(found(doublingWaits(texts({ [A]: line, 'libs/runtime/src/work/a.ts': line })))).toEqual({ [A]: 1 });
  });

  it.each([
    'const settlingMs = 2 * requestTimeoutMs;',
    'for (let size = 1; ; size = Math.min(2 * size, MOST)) {',
    'await twice(2 * count);',
    '// The pause is 2 * as long.',
    'const LONGEST_MS = 2 ** 31 - 1;',
  ])('are not what only looks like one: %s', (line) => {
    expect(found(doublingWaits(texts({ [A]: line })))).toEqual({});
  });
});

describe('documents', () => {
  it('have no long lines', () => {
    expect(
      found(longLines(texts({ a: 'é'.repeat(160), b: `${'a'.repeat(161)}\n`, c: `| ${'a'.repeat(160)} |` }))),
    ).toEqual({ b: 1 });
  });
});

describe('sources', () => {
  it.each([
    [A, true],
    ['services/a/src/b/c.ts', true],
    ['tools/up/main.ts', true],
    ['libs/a/src/a.test.ts', false],
    ['libs/a/src/testing/a.ts', false],
    ['libs/a/src/gen/a.ts', false],
    ['libs/a/bench/a.ts', false],
    ['libs/testing/src/a.ts', false],
    ['test/a.ts', false],
  ])('are %s: %s', (path, expected) => {
    expect(isSource(path)).toBe(expected);
  });
});

describe('reads of members by strings', () => {
  const path = 'libs/kinds/src/apps/a.ts';
  const imported = "import { at, textAt } from '../values/fields.js';\n";
  const reads = "const a = at(object, 'spec') ?? textAt(\n  object, 'a') ?? list.at(1);\n";

  it('are counted in rules of kinds', () => {
    const files = { [path]: imported + reads, [A]: imported + reads, 'libs/kinds/src/values/fields.ts': reads };
    expect(found(stringAccessors(texts(files)))).toEqual({ [path]: 2 });
  });

  it('are calls of the accessors, and no others of the name', () => {
    expect(found(stringAccessors(texts({ [path]: reads })))).toEqual({});
  });
});

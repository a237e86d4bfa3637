import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImportGraph } from './related-tests.js';
import { run } from './trial.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
const never = new AbortController().signal;

describe('a trial', () => {
  const file = 'libs/machinery/src/group-version.ts';
  const tests = ['libs/machinery/src/group-version.test.ts'];
  const text = readFileSync(join(ROOT, file), 'utf8');
  const tried = (wrong: string) =>
    run({ root: ROOT, tests, limitMs: 60_000, mutant: { file, text: wrong }, signal: never });

  it('passes with the file as it lies, and fails with one that is wrong, which lies nowhere', async () => {
    expect(await tried(text)).toBe('passed');
    expect(await tried(text.replaceAll('export function', 'throw new Error(); export function'))).toBe('failed');
    expect(readFileSync(join(ROOT, file), 'utf8')).toBe(text);
  });

  it('ends what does not end', async () => {
    const endless = { file, text: `${text}\nfor (;;);\n` };
    expect(await run({ root: ROOT, tests, limitMs: 8_000, mutant: endless, signal: never })).toBe('late');
  });

  it('ends when nobody waits for it any more', async () => {
    const stopped = new AbortController();
    const running = run({ root: ROOT, tests, limitMs: 60_000, signal: stopped.signal });
    stopped.abort();
    expect(await running).toBe('late');
  });
});

describe('the tests of a file', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'import-graph-'));
    mkdirSync(join(root, 'services'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(path: string, ...imports: string[]): void {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), imports.map((each) => `import { x } from '${each}';\n`).join(''));
  }

  it('are those that import it, by the fewest others first, across packages', () => {
    write('libs/a/src/index.ts', './deep/one.js');
    write('libs/a/src/deep/one.ts');
    write('libs/a/src/deep/one.test.ts', './one.js');
    write('libs/a/src/deep/other.test.ts', './one.js');
    write('libs/a/src/two.ts', './deep/one.js');
    write('libs/a/src/two.test.ts', './two.js');
    write('libs/b/src/three.ts', '@orch/a');
    write('libs/b/src/three.test.ts', './three.js');
    write('libs/b/src/unrelated.test.ts', 'vitest');
    expect(new ImportGraph(root).testsOf('libs/a/src/deep/one.ts')).toEqual([
      'libs/a/src/deep/one.test.ts',
      'libs/a/src/deep/other.test.ts',
      'libs/a/src/two.test.ts',
      'libs/b/src/three.test.ts',
    ]);
  });
});

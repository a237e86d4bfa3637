import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BELIEVE_BUS, CHARGED_APART, EVICTED_APART, KEEP_CHARGES } from '../defects.js';
import { VARIANTS } from '../variants.js';
import { GUARDS } from './guards.js';
import { mutant } from './mutant.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mutant-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const module = 'libs/runtime/dist/release.js';

test('servers run with what was put into their modules', () => {
  const executable = mutant(dir, [
    { module, part: 'export const RELEASE =', by: `console.log('mutated');\nexport const RELEASE =` },
  ]);
  const { stdout, stderr } = spawnSync(process.execPath, [executable, 'version'], { encoding: 'utf8' });
  expect(stdout, stderr).toMatch(/^mutated\n.+/);
});

test('a module that does not hold what is to be replaced is an error', () => {
  expect(() => mutant(dir, [{ module, part: 'none of this', by: '' }])).toThrow('does not hold "none of this" once');
});

test('every variant fits the modules as they are built', () => {
  const all = [...VARIANTS.map(({ mutations = [] }) => mutations), GUARDS, BELIEVE_BUS, CHARGED_APART];
  const problems = [...all, EVICTED_APART, KEEP_CHARGES].flatMap((mutations) => {
    try {
      mutant(dir, mutations);
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
  expect(problems).toEqual([]);
});

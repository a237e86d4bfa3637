import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { type Choice, runPortions } from './portions.js';
import type { CaseResult } from './results.js';

const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
afterAll(() => printed.mockRestore());

const HOUR_MS = 3_600_000;
const choice = (more: Partial<Choice> = {}): Choice => ({
  ...{ groups: [], only: undefined, atOnce: 3, until: Date.now() + HOUR_MS, excluded: () => undefined },
  ...more,
});

/** What was run: the label, how many at once, and the names. */
let runs: [string, number, readonly string[]][];
beforeEach(() => {
  runs = [];
});

/** A suite of these cases, of which some fail, so many times. */
const suite = (names: readonly string[], failures: Record<string, number> = {}) => ({
  names: async () => names,
  run: async (some: readonly string[], { label, atOnce }: { readonly label: string; readonly atOnce: number }) => {
    runs.push([label, atOnce, some]);
    return some.map((name): CaseResult => {
      const left = failures[name] ?? 0;
      failures[name] = left - 1;
      return left > 0 ? { name, outcome: 'failed', reason: `failure ${left}` } : { name, outcome: 'passed' };
    });
  },
});

test('groups run in portions, those that are not known last; serial cases alone after the others', async () => {
  const names = ['[sig-new] n', '[sig-apps] b [Serial]', '[sig-node] c', '[sig-apps] a', '[sig-api-machinery] m'];
  const results = await runPortions(suite(names), choice());
  expect(runs).toEqual([
    ['api-machinery-together', 1, ['[sig-api-machinery] m']],
    ['apps-node-together', 2, ['[sig-node] c', '[sig-apps] a']],
    ['apps-node-alone', 1, ['[sig-apps] b [Serial]']],
    ['new-together', 1, ['[sig-new] n']],
  ]);
  expect(results.map(({ name }) => name).sort()).toEqual([...names].sort());
});

test('what fails is tried once more: it passes with a remark, or keeps its first reason', async () => {
  const names = ['[sig-apps] once', '[sig-apps] twice', '[sig-apps] well'];
  const results = await runPortions(suite(names, { [names[0]!]: 1, [names[1]!]: 2 }), choice());
  expect(runs.at(-1)).toEqual(['apps-again', 2, names.slice(0, 2)]);
  expect(results).toEqual([
    { name: names[0], outcome: 'passed', reason: 'at the second try; first failure 1' },
    { name: names[1], outcome: 'failed', reason: 'failure 2' },
    { name: names[2], outcome: 'passed' },
  ]);
});

test('only the groups and the names run that are asked for', async () => {
  const names = ['[sig-apps] a', '[sig-apps] b', '[sig-node] a'];
  await runPortions(suite(names), choice({ groups: ['apps'], only: /a$/ }));
  expect(runs).toEqual([['apps-together', 1, ['[sig-apps] a']]]);
});

test('cases that cannot pass here are skipped with the reason, and so is what there is no time for', async () => {
  const excluded = (name: string) => (name.endsWith('b') ? 'there is one node' : undefined);
  const skipped = (name: string, reason: string) => ({ name, outcome: 'skipped', reason });
  expect(await runPortions(suite(['[sig-apps] b']), choice({ excluded }))).toEqual([
    skipped('[sig-apps] b', 'there is one node'),
  ]);
  expect(await runPortions(suite(['[sig-apps] a']), choice({ until: Date.now() }))).toEqual([
    skipped('[sig-apps] a', 'not reached in the time'),
  ]);
  expect(runs).toEqual([]);
});

test('progress says how many of a portion passed, and names what did not', async () => {
  await runPortions(suite(['[sig-apps] bad', '[sig-apps] good'], { '[sig-apps] bad': 9 }), choice());
  const lines = printed.mock.calls.map(([line]) => line);
  expect(lines).toContain('apps: 2 cases');
  expect(lines).toContain('  failed: [sig-apps] bad: failure 9');
  expect(lines).toContain('  1 of 2 passed');
});

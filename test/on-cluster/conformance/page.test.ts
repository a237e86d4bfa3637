import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Comparison } from './comparison.js';
import { type Kept, pageWith, renewed } from './page.js';
import type { RunSummary } from './results.js';

const PAGE = 'before\n<!-- written by make conformance -->\nold\n<!-- end of what make conformance writes -->\nafter\n';
const counts = (passed: number, failed = 0) => ({ passed, failed, skipped: 0 });

const run = (more: Partial<RunSummary>): RunSummary => ({
  ...{ server: 'orch', date: '2026-11-29T10:00:00.000Z', counts: { a: counts(1) }, notable: [] },
  ...more,
});

test('a run of some groups replaces these groups, and what is said of their cases', () => {
  const before = run({
    date: 'earlier',
    counts: { a: counts(1, 1), b: counts(1, 1) },
    notable: [
      { name: '[sig-a] x', outcome: 'failed' },
      { name: '[sig-b] x', outcome: 'failed' },
    ],
  });
  expect(renewed(before, run({ counts: { a: counts(2) } }))).toEqual({
    server: 'orch',
    date: '2026-11-29T10:00:00.000Z',
    counts: { a: counts(2), b: counts(1, 1) },
    notable: [{ name: '[sig-b] x', outcome: 'failed' }],
  });
});

test('the first run of a server is kept as it is', () => {
  expect(renewed(undefined, run({}))).toEqual(run({}));
});

test('results stand between their marks, and the rest of the page stays', () => {
  const text = pageWith({ orch: run({}) }, PAGE);
  expect(text).toContain('orch: 2026-11-29.\n\nEvery case passed on orch at its first try.\n');
  expect(text).not.toContain('old');
  expect([text.startsWith('before\n<!--'), text.endsWith('-->\nafter\n')]).toEqual([true, true]);
  expect(pageWith({ orch: run({}) }, text)).toBe(text);
});

const LATER = `${PAGE}<!-- written by make conformance SUITE -->\nold\n<!-- end of what make conformance SUITE writes -->\nend\n`;
const verdicts = { passed: 1, unserved: 0, different: 0, skipped: 0 };
const later = (more: Partial<Comparison> = {}): Comparison => ({
  ...{ suite: 'v1.37.2', server: 'orch', date: '2026-11-30T10:00:00.000Z', counts: { a: verdicts }, notable: [] },
  ...more,
});

test('a run of a later suite stands between marks of its own, and names what failed by where it did', () => {
  const name = '[sig-a] case [Conformance]';
  const notable = [
    { name, verdict: 'unserved', reason: 'no such path' },
    { name: '[sig-a] other', verdict: 'unserved', reason: 'no such path' },
    { name: '[sig-a] third', verdict: 'skipped', reason: 'one node' },
    { name: `${name} 2`, verdict: 'different', reason: 'why' },
  ] as const;
  const text = pageWith({ orch: run({}), later: later({ notable }) }, LATER);
  expect(text).toContain('orch: 2026-11-29.\n');
  expect(text).toContain('The suite of 1.37.2 on orch, 2026-11-30:\n\n|  | passed | ');
  expect(text).toMatch(/not seen to fail on kube-apiserver 1\.27\.16:\n\n\* a: case \[Conformance\] 2 \(why\)\n/);
  expect(text).toMatch(
    /as well:\n\n\* a: case; other\n\nWhat was left out:\n\n\* one node: third\n\n<!-- end of what make conformance SUITE writes -->\nend\n$/,
  );
  expect(text).not.toMatch(/old|second try/);
});

test('without a run of a later suite its part of the page stays', () => {
  expect(pageWith({ orch: run({}) }, LATER)).toMatch(/SUITE -->\nold\n<!--/);
  expect(() => pageWith({ later: later() }, PAGE)).toThrow('no place for results of make conformance SUITE');
});

test('a page without marks is not written', () => {
  expect(() => pageWith({ orch: run({}) }, 'before\nafter\n')).toThrow('no place for results');
});

test('a reason is in lines of a page, without markup and long words', () => {
  const reason = `${'word '.repeat(40)}<b>{{x}}</b> ${'/long'.repeat(30)}`;
  const text = pageWith({ orch: run({ notable: [{ name: '[sig-a] case', outcome: 'failed', reason }] }) }, PAGE);
  const [first = '', ...others] = text.slice(text.indexOf('* failed: case (word')).split('\n\n')[0]?.split('\n') ?? [];
  expect(first.length).toBeLessThanOrEqual(150);
  expect(others.every((line) => line.startsWith('  ') && line.length <= 150)).toBe(true);
  expect(others.join('\n')).toMatch(/ b x \/b (?:\/long)+…$/);
});

test('the page in docs shows the results that are kept beside the suite', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const kept = JSON.parse(read('./results.json')) as Kept;
  const page = read('../../../docs/conformance.md');
  expect(pageWith(kept, page)).toBe(page);
});

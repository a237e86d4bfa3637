import { expect, test } from 'vitest';
import { compared, comparisonTable, failedIn } from './comparison.js';
import type { CaseResult, RunResult } from './results.js';

const failed = (name: string): CaseResult => ({ name, outcome: 'failed', reason: `why ${name}` });
const passed = (name: string, reason?: string): CaseResult => ({ name, outcome: 'passed', ...(reason && { reason }) });
const run = (...cases: CaseResult[]): RunResult => ({ server: 'orch', date: 'd', cases });

test('what the reference is asked about is what failed', () => {
  expect(failedIn(run(passed('[sig-a] 1'), failed('[sig-a] 2')))).toEqual(['[sig-a] 2']);
});

test('what fails on both is not served; what passes on the reference, or was not reached there, is a difference', () => {
  const cases = ['[sig-a] both', '[sig-a] here', '[sig-b] unreached', '[sig-b] unknown'];
  const there: CaseResult[] = [failed(cases[0]!), passed(cases[1]!), { name: cases[2]!, outcome: 'skipped' }];
  const { counts, notable } = compared('v1.37.2', run(...cases.map(failed)), there);
  expect(notable.map(({ verdict }) => verdict)).toEqual(['unserved', 'different', 'different', 'different']);
  expect(notable[0]).toEqual({ name: cases[0], verdict: 'unserved', reason: `why ${cases[0]}` });
  expect(counts).toEqual({
    a: { passed: 0, unserved: 1, different: 1, skipped: 0 },
    b: { passed: 0, unserved: 0, different: 2, skipped: 0 },
  });
});

test('cases that passed at once are counted only', () => {
  const skipped: CaseResult = { name: '[sig-a] 3', outcome: 'skipped', reason: 'there is one node' };
  const cases = [passed('[sig-a] 1'), passed('[sig-a] 2', 'at the second try'), skipped];
  expect(compared('v1.37.2', run(...cases), [])).toEqual({
    ...{ suite: 'v1.37.2', server: 'orch', date: 'd' },
    counts: { a: { passed: 2, unserved: 0, different: 0, skipped: 1 } },
    notable: [
      { name: '[sig-a] 2', verdict: 'passed', reason: 'at the second try' },
      { name: '[sig-a] 3', verdict: 'skipped', reason: 'there is one node' },
    ],
  });
});

test('a table has a row for each group, and sums', () => {
  const comparison = compared('v1.37.2', run(passed('[sig-b] 1'), failed('[sig-a] 1'), passed('[sig-a] 2')), []);
  expect(comparisonTable(comparison).split('\n')).toEqual([
    '|  | passed | not served by 1.27 | differences | skipped |',
    '| --- | --- | --- | --- | --- |',
    '| sig-a | 1 | 0 | 1 | 0 |',
    '| sig-b | 1 | 0 | 0 | 0 |',
    '| **all** | 2 | 0 | 1 | 0 |',
    '',
  ]);
});

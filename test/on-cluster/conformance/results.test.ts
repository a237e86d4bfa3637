import { expect, test } from 'vitest';
import { type CaseResult, groupOf, shortName, summaryOf, tableOf } from './results.js';

const passed = (name: string, reason?: string): CaseResult => ({ name, outcome: 'passed', ...(reason && { reason }) });

test('a case is of the group in front of its name', () => {
  expect(groupOf('[sig-network] DNS should resolve')).toBe('network');
  expect(groupOf('[sig-api-machinery] [Serial] Watchers')).toBe('api-machinery');
  expect(groupOf('DNS should resolve [sig-network]')).toBe('other');
});

test.each([
  ['[sig-node] Pods should run [NodeConformance] [Conformance]', 'Pods should run'],
  ['[sig-apps] Daemon set [Serial] should roll [Conformance]', 'Daemon set [Serial] should roll'],
  ['[sig-auth] [FeatureGate:A] [FeatureGate:B] mounts [MinimumKubeletVersion:1.37] [Conformance]', 'mounts'],
  ['[sig-storage] Volumes [LinuxOnly] [Feature:Some thing] [Conformance]', 'Volumes'],
])('%s is called %s', (name, short) => {
  expect(shortName(name)).toBe(short);
});

test('a summary counts by groups, and keeps the cases that did not pass, or not at once', () => {
  const failed: CaseResult = { name: '[sig-b] 2', outcome: 'failed', reason: 'why' };
  const again = passed('[sig-a] 2', 'at the second try');
  const cases = [passed('[sig-a] 1'), again, passed('[sig-b] 1'), failed];
  expect(summaryOf({ server: 's', date: 'd', cases })).toEqual({
    server: 's',
    date: 'd',
    counts: { a: { passed: 2, failed: 0, skipped: 0 }, b: { passed: 1, failed: 1, skipped: 0 } },
    notable: [again, failed],
  });
});

test('a table has a row for each group of any run, and sums', () => {
  const one = summaryOf({ server: 'one', date: '', cases: [passed('[sig-b] 1'), passed('[sig-a] 1')] });
  const two = summaryOf({ server: 'two', date: '', cases: [{ name: '[sig-b] 1', outcome: 'failed' }] });
  expect(tableOf([one, two]).split('\n')).toEqual([
    '| passed / failed / skipped | one | two |',
    '| --- | --- | --- |',
    '| sig-a | 1 / 0 / 0 |  |',
    '| sig-b | 1 / 0 / 0 | 0 / 1 / 0 |',
    '| **all** | 2 / 0 / 0 | 0 / 1 / 0 |',
    '',
  ]);
});

import { expect, test } from 'vitest';
import {
  amended,
  type ComponentRuns,
  componentRemarks,
  componentSkips,
  componentTable,
  withSkipsCounted,
} from './component-runs.js';
import type { CaseResult, RunSummary } from './results.js';

const run = (group: string, passed: number, notable: readonly CaseResult[] = []): RunSummary => ({
  ...{ server: 'orch', date: '', notable },
  counts: { [group]: { passed, failed: notable.length, skipped: 0 } },
});
const failed = (name: string): CaseResult => ({ name, outcome: 'failed', reason: 'why' });

const runs: ComponentRuns = {
  'orch-conformance': run('node', 2),
  'reference-conformance': { ...run('node', 2), counts: { ...run('node', 2).counts, ...run('apps', 9).counts } },
  'orch-further': run('node', 1, [failed('[sig-node] a'), failed('[sig-node] b')]),
  'reference-further': run('node', 2, [failed('[sig-node] b')]),
};

test('groups that both sets of components have run are side by side', () => {
  expect(componentTable(runs).split('\n')).toEqual([
    '| passed / failed / skipped | orch node-agent, orch scheduler | kubelet, kube-scheduler 1.27.16 |',
    '| --- | --- | --- |',
    '| sig-node, [Conformance] | 2 / 0 / 0 | 2 / 0 / 0 |',
    '| sig-node, further cases | 1 / 2 / 0 | 2 / 1 / 0 |',
    '| **all** | 3 / 2 / 0 | 4 / 1 / 0 |',
    '',
  ]);
});

test('what did not pass is named with what became of it with the others', () => {
  const there = (of: ComponentRuns) => componentRemarks(of).map(({ name, there: outcome }) => [name, outcome]);
  expect(there(runs)).toEqual([
    ['[sig-node] a', 'passed'],
    ['[sig-node] b', 'failed'],
  ]);
  const { 'reference-further': _, ...without } = runs;
  expect(there(without).map(([, outcome]) => outcome)).toEqual(['not run', 'not run']);
  const remarks = componentRemarks(without, { '[sig-node] a': 'failed' });
  expect(remarks.map(({ there: outcome }) => outcome)).toEqual(['failed', 'not run']);
});

test('chosen cases replace what is known of them, and those that were not reached do not', () => {
  const skipped: CaseResult = { name: '[sig-node] e', outcome: 'skipped', reason: 'not reached in the time' };
  const whole = run('node', 1, [failed('[sig-node] a'), { name: '[sig-node] b', outcome: 'failed' }, skipped]);
  const again: CaseResult[] = [
    { name: '[sig-node] a', outcome: 'passed' },
    { name: '[sig-node] b', outcome: 'skipped', reason: 'not reached in the time' },
    { name: '[sig-node] c', outcome: 'failed', reason: 'new' },
    { name: '[sig-apps] d', outcome: 'passed' },
    { ...skipped, reason: 'no cloud' },
    { name: '[sig-node] f', outcome: 'skipped', reason: 'no cloud' },
  ];
  expect(amended(whole, again)).toEqual({
    ...whole,
    counts: { node: { passed: 1, failed: 3, skipped: 0 } },
    notable: [{ name: '[sig-node] b', outcome: 'failed' }, again[4], again[2]],
  });
});

test('cases that leave themselves out can be counted by the reason', () => {
  const skipped = (name: string, at: number): CaseResult => ({
    ...{ name, outcome: 'skipped', reason: `Driver local does not support ext3 -- skipping (test/e2e/x.go:${at})` },
  });
  const whole = { ...run('storage', 1, [skipped('a', 1), failed('b'), skipped('c', 2)]), leftOut: { SSH: 3 } };
  const { notable, leftOut } = withSkipsCounted(whole);
  expect(notable).toEqual([failed('b')]);
  expect(leftOut).toEqual({ SSH: 3, 'Driver local does not support ext3': 2 });
});

test('what was skipped is named by the reason, not by the place that says it', () => {
  const skipped = (name: string, reason: string): CaseResult => ({ name, outcome: 'skipped', reason });
  const notable = [
    skipped('a', 'Requires at least 2 nodes (not -1) (test/e2e/framework/network/utils.go:791)'),
    skipped('b', 'Runs only when number of nodes >= 3 (test/e2e/storage/x.go:1)'),
    skipped('c', 'no disk (test/e2e/storage/x.go:2)'),
    failed('d'),
  ];
  const skips = componentSkips({ 'orch-further': run('node', 0, notable) });
  const names = [...skips].map(([reason, cases]) => [reason, cases.map(({ name }) => name)]);
  expect(names).toEqual([
    ['there is one node', ['a', 'b']],
    ['no disk', ['c']],
  ]);
});

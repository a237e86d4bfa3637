import { expect, test } from 'vitest';
import { type ComponentRuns, componentRemarks, componentSkips, componentTable } from './component-runs.js';
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

import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { expressionFor, expressionForAll, resultsIn, type Spec } from './reports.js';

const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
afterEach(() => printed.mockClear());
afterAll(() => printed.mockRestore());

const spec = (State: string, more: Partial<Spec> = {}): Spec => ({
  ContainerHierarchyTexts: ['[sig-a] Things', 'when  new'],
  LeafNodeText: 'should work\n[Conformance]',
  LeafNodeType: 'It',
  RunTime: 1,
  State,
  ...more,
});
const name = '[sig-a] Things when new should work [Conformance]';
const Failure = { Message: 'it was\n  red', Location: { FileName: '/go/src/k8s.io/test/e2e/a.go', LineNumber: 7 } };
const reason = 'it was red (test/e2e/a.go:7)';

test.each(['failed', 'panicked', 'timedout', 'aborted'])(
  'a case that %s failed, with its reason and place',
  (state) => {
    expect(resultsIn([{ SpecReports: [spec(state, { Failure })] }])).toEqual([{ name, outcome: 'failed', reason }]);
  },
);

test('a case that skips itself says why; one that was not chosen, or not begun, is left out', () => {
  const specs = [spec('passed'), spec('skipped', { Failure }), spec('skipped'), spec('pending')];
  expect(resultsIn([{ SpecReports: specs }, { SpecReports: null }])).toEqual([
    { name, outcome: 'passed' },
    { name, outcome: 'skipped', reason },
  ]);
});

test('a case that was running when the time of the run was over is left out', () => {
  const Failure = { Message: 'A suite timeout occurred and the case was ended' };
  expect(resultsIn([{ SpecReports: [spec('timedout', { Failure })] }])).toEqual([]);
});

test('what fails around cases is printed and is no case', () => {
  const broken = spec('failed', { LeafNodeType: 'SynchronizedBeforeSuite', Failure });
  expect(resultsIn([{ SpecReports: [broken] }])).toEqual([]);
  expect(printed).toHaveBeenCalledExactlyOnceWith(`  SynchronizedBeforeSuite: ${reason}`);
});

test('a long message is cut', () => {
  const [result] = resultsIn([
    { SpecReports: [spec('failed', { Failure: { ...Failure, Message: 'x'.repeat(1_000) } })] },
  ]);
  expect(result?.reason).toBe(`${'x'.repeat(400)}… (test/e2e/a.go:7)`);
});

test('an expression matches its name alone, with as many blanks as the source has', () => {
  const expression = new RegExp(expressionFor('[sig-a] A (b|c) costs $1.5 [Conformance]'));
  expect('[sig-a] A (b|c)  costs $1.5 [Conformance]').toMatch(expression);
  expect('[sig-a] A b costs $1.5 [Conformance]').not.toMatch(expression);
  expect('[sig-a] A (b|c) costs $1x5 [Conformance]').not.toMatch(expression);
});

test('an expression for many names has what they begin with once, and matches these alone', () => {
  const names = ['[sig-a] x (1) store data', '[sig-a] x (2) store data', '[sig-a] x (2) store more', '[sig-b] y'];
  const expression = expressionForAll(names);
  expect(expression).toBe('(?:\\[sig-a\\] +x +(?:\\(1\\) +store +data|\\(2\\) +store +(?:data|more))|\\[sig-b\\] +y)');
  for (const name of names) expect(name.replace(' ', '  ')).toMatch(new RegExp(`^${expression}$`));
  expect('[sig-a] x (1) store more').not.toMatch(new RegExp(expression));
  expect(expressionForAll(['a b', 'a b c'])).toBe('a +b');
});

import { expect, test } from 'vitest';
import { summary } from './run-suite.js';

const printed = (Output: string) => ({ Action: 'output', Test: 'TestAll', Output });

const GINKGO =
  '\u001b[1mFAIL!\u001b[0m -- \u001b[1m245 Passed\u001b[0m | \u001b[1m12 Failed\u001b[0m | \u001b[1m20 Pending\u001b[0m | \u001b[1m2 Skipped\u001b[0m\n';

test('cases of Ginkgo are counted, whatever their colours', () => {
  const events = [
    printed('  \u001b[38;5;9m[FAIL]\u001b[0m Client [It] reads\n'),
    printed(GINKGO),
    { Action: 'fail', Test: 'TestAll' },
    { Action: 'fail' },
  ];
  expect(summary(events)).toMatchObject({ passed: 245, failed: 12, skipped: 22, failures: ['Client [It] reads'] });
});

test('tests of Go beside a suite of Ginkgo are counted too', () => {
  const events = [
    printed('Ran 0 of 0 Specs\nSUCCESS! -- 0 Passed | 0 Failed | 0 Pending | 0 Skipped\n'),
    { Action: 'pass', Test: 'TestAll' },
    { Action: 'pass', Test: 'TestB/one' },
    { Action: 'fail', Test: 'TestB/two' },
    { Action: 'fail', Test: 'TestB' },
  ];
  expect(summary(events)).toMatchObject({ passed: 1, failed: 1, failures: ['TestB/two'] });
});

test('a suite of Ginkgo that fails behind its cases has failed', () => {
  const events = [
    printed('FAIL! -- 3 Passed | 0 Failed | 0 Pending | 0 Skipped\n'),
    { Action: 'fail', Test: 'TestAll' },
  ];
  expect(summary(events)).toMatchObject({ passed: 3, failed: 0, failures: ['TestAll'] });
});

test('tests of Go are counted without those that hold others', () => {
  const events = [
    { Action: 'pass', Test: 'TestA/one' },
    { Action: 'fail', Test: 'TestA/two' },
    { Action: 'fail', Test: 'TestA' },
    { Action: 'skip', Test: 'TestB' },
    { Action: 'fail' },
  ];
  expect(summary(events)).toMatchObject({ passed: 1, failed: 1, skipped: 1, failures: ['TestA/two'] });
});

test('a package that does not come to its tests has failed', () => {
  expect(summary([{ Action: 'fail' }])).toMatchObject({ passed: 0, failures: ['(the package itself)'] });
});

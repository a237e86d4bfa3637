import { defineOptions, readCommandLine } from '@orch/runtime';
import { expect, test } from 'vitest';
import { fairnessLimits, fairnessOptions } from './fairness-options.js';

const nowhere = { stdout: { write: () => true }, stderr: { write: () => true }, env: {} };
const NO_SEATS = ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'];

const limits = (on: boolean, ...args: string[]) => {
  const line = readCommandLine(defineOptions(fairnessOptions), args, '', nowhere);
  if (!line.run) throw new Error('the options were refused');
  return fairnessLimits(line.values, { enabled: () => on });
};

test('a process has seats for those who change something and for all others', () => {
  expect(limits(true)).toEqual({ seats: { mutating: 200, readOnly: 400 }, maxWaitMs: 15_000, sliceMs: 0.5 });
});

test('a process without a seat is refused, unless that is no bound', () => {
  expect(() => limits(true, ...NO_SEATS)).toThrow('leave no seat');
  expect(limits(false, ...NO_SEATS).seats).toEqual({ mutating: 0, readOnly: 0 });
});

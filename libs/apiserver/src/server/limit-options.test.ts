import { defineOptions, readCommandLine } from '@orch/runtime';
import { expect, test } from 'vitest';
import { flowLimits, limitOptions } from './limit-options.js';

const nowhere = { stdout: { write: () => true }, stderr: { write: () => true }, env: {} };

test('requests that find no seat wait their turn only while APIPriorityAndFairness is on', () => {
  const line = readCommandLine(defineOptions(limitOptions), ['--max-requests-waiting=7'], '', nowhere);
  if (!line.run) throw new Error('the options were refused');
  const waiting = (on: boolean) => flowLimits(line.values, { enabled: () => on }).maxWaiting;
  expect([waiting(true), waiting(false)]).toEqual([7, 0]);
});

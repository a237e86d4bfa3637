import { expect, test } from 'vitest';
import { callerOf, OutstandingCalls } from './outstanding-calls.js';

const HANGS_AFTER = 5;

function rig(mostHanging = 10) {
  const clock = { now: 1000 };
  const calls = new OutstandingCalls(mostHanging, () => clock.now);
  const begin = (caller: string, times = 1) => Array.from({ length: times }, () => calls.begin(caller, HANGS_AFTER));
  /** Two calls of each of five callers, and time until they hang. */
  const hang = () => {
    const all = ['a', 'b', 'c', 'd', 'e'].flatMap((caller) => begin(caller, 2));
    clock.now += HANGS_AFTER;
    return all;
  };
  return { clock, calls, begin, hang };
}

test('where as many calls hang as may, a caller has one call out at a time', () => {
  const { calls, begin, hang } = rig();
  hang();
  expect(calls).toMatchObject({ hanging: 10, isFull: true });
  expect(calls.refuses('a')).toBe(true);
  expect(calls.refuses('nobody yet')).toBe(false);
  begin('nobody yet');
  expect(calls.refuses('nobody yet')).toBe(true);
});

test('calls that have been out for a short time do not hang, however many there are', () => {
  const { calls, clock, begin } = rig();
  for (const caller of ['a', 'b', 'c', 'd', 'e', 'f']) begin(caller, 100);
  clock.now += HANGS_AFTER - 1;
  expect(calls).toMatchObject({ hanging: 0, isFull: false });
  expect(calls.refuses('a')).toBe(false);
});

test('calls of few callers refuse nobody, not even those', () => {
  const { calls, clock, begin } = rig();
  for (const caller of ['a', 'b', 'c', 'd']) begin(caller, 1_000);
  clock.now += HANGS_AFTER;
  expect(calls).toMatchObject({ hanging: 4_000, isFull: false });
  expect(calls.refuses('a')).toBe(false);
});

test('an answer shows that the webhook is there: what began before it counts no more', () => {
  const { calls, begin, hang } = rig();
  const all = hang();
  calls.answered();
  expect(calls).toMatchObject({ hanging: 0, isFull: false });
  for (const call of all) calls.ended(call, 'context deadline exceeded');
  begin('a');
  expect(calls.refuses('a')).toBe(false);
});

test('while it hangs, calls that end without an answer make room, and those that follow count at once', () => {
  const { calls, begin, hang } = rig();
  const [first] = hang();
  expect(calls.refuses('a')).toBe(true);
  calls.ended(first as never, 'context deadline exceeded');
  expect(calls).toMatchObject({ isFull: false, lastFailure: 'context deadline exceeded' });
  begin('f');
  expect(calls.refuses('b')).toBe(true);
});

test('calls that fail at once refuse nobody', () => {
  const { calls, begin } = rig();
  for (let i = 0; i < 100; i++)
    for (const caller of ['a', 'b', 'c', 'd', 'e']) calls.ended(begin(caller)[0] as never, 'connect ECONNREFUSED');
  expect(calls).toMatchObject({ hanging: 0, isFull: false, lastFailure: 'connect ECONNREFUSED' });
  calls.answered();
  expect(calls.lastFailure).toBe('');
});

test('with a bound of 0 nobody is refused', () => {
  const { calls, hang } = rig(0);
  hang();
  expect(calls.refuses('a')).toBe(false);
});

test('service accounts of one namespace are one caller', () => {
  expect(callerOf('system:serviceaccount:shop:a')).toBe(callerOf('system:serviceaccount:shop:b'));
  expect(callerOf('system:serviceaccount:shop:a')).not.toBe(callerOf('system:serviceaccount:other:a'));
  expect([callerOf('jane'), callerOf('system:node:a')]).toEqual(['jane', 'system:node:a']);
});

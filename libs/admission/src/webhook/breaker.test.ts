import { expect, test } from 'vitest';
import { Breaker } from './breaker.js';

function rig(failures = 2) {
  const clock = { now: 1000 };
  const breaker = new Breaker({ failures, firstWaitMs: 10, maxWaitMs: 35 }, () => clock.now);
  const fail = (times = 1) => {
    for (let i = 0; i < times; i++) {
      expect(breaker.enter()).toBe(true);
      breaker.failed('down');
    }
  };
  return { clock, breaker, fail };
}

test('a webhook is asked until it has left so many calls in a row without an answer', () => {
  const { breaker, fail } = rig(3);
  fail(2);
  breaker.answered();
  fail(2);
  expect(breaker.state).toBe('closed');
  fail();
  expect(breaker).toMatchObject({ state: 'open', failures: 3, lastFailure: 'down', waitMs: 10 });
  expect(breaker.enter()).toBe(false);
});

test('after a while one call finds out whether it answers, and the others go on without it', () => {
  const { breaker, clock, fail } = rig();
  fail(2);
  clock.now += 10;
  expect(breaker.enter()).toBe(true);
  expect(breaker.state).toBe('half-open');
  expect(breaker.enter()).toBe(false);
  breaker.answered();
  expect(breaker).toMatchObject({ state: 'closed', failures: 0, lastFailure: '', waitMs: 0 });
  expect(breaker.enter()).toBe(true);
});

test('it is not asked for longer each time, up to a bound', () => {
  const { breaker, clock, fail } = rig();
  fail(2);
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    waits.push(breaker.waitMs);
    clock.now += breaker.waitMs;
    fail();
  }
  expect(waits).toEqual([10, 20, 35, 35]);
});

test('calls that were under way when it opened say nothing new', () => {
  const { breaker } = rig();
  for (let i = 0; i < 5; i++) expect(breaker.enter()).toBe(true);
  for (let i = 0; i < 5; i++) breaker.failed('down');
  expect(breaker.waitMs).toBe(10);
});

test('whoever gives up its own call leaves the finding out to the next', () => {
  const { breaker, clock, fail } = rig();
  fail(2);
  clock.now += 10;
  expect(breaker.enter()).toBe(true);
  breaker.gaveUp();
  expect(breaker.enter()).toBe(true);
});

test('with a bound of 0 it is asked always', () => {
  const { breaker, fail } = rig(0);
  fail(100);
  expect(breaker.state).toBe('closed');
});

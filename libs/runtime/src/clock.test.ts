import { expect, test } from 'vitest';
import { sleep, systemClock } from './clock.js';
import { ManualClock } from './manual-clock.js';

test('the manual clock fires timers in due order and lets promises run between them', async () => {
  const clock = new ManualClock(1000);
  const seen: string[] = [];
  clock.setTimer(20, () => seen.push(`b@${clock.now()}`));
  clock.setTimer(10, () => seen.push(`a@${clock.now()}`));
  void (async () => {
    await sleep(clock, 5);
    await sleep(clock, 10);
    seen.push(`slept@${clock.monotonic()}`);
  })();
  const cancelled = clock.setTimer(15, () => seen.push('never'));
  cancelled.cancel();
  await clock.advance(19);
  expect(seen).toEqual(['a@1010', 'slept@15']);
  await clock.advance(1);
  expect(seen.at(-1)).toBe('b@1020');
  expect(clock.timers).toBe(0);
});

test('an aborted sleep ends at once and leaves no timer', async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const slept = sleep(clock, 1e6, abort.signal);
  expect(clock.timers).toBe(1);
  abort.abort();
  await slept;
  expect(clock.timers).toBe(0);
  await sleep(clock, 1e6, abort.signal);
});

test('the system clock fires, and not after a cancel', async () => {
  const early = systemClock.setTimer(0, () => expect.unreachable());
  early.cancel();
  await new Promise<void>((resolve) => {
    systemClock.setTimer(1, resolve);
  });
});

import { expect, test } from 'vitest';
import { sleep, systemClock } from './clock.js';
import { ManualClock } from './testing/manual-clock.js';

test('the manual clock fires timers in due order and lets promises run between them', async () => {
  const clock = new ManualClock(1000);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b@${clock.wall()}`));
  clock.after(10, () => seen.push(`a@${clock.wall()}`));
  void (async () => {
    await sleep(clock, 5);
    await sleep(clock, 10);
    seen.push(`slept@${clock.now()}`);
  })();
  const cancel = clock.after(15, () => seen.push('never'));
  cancel();
  await clock.advance(19);
  expect(seen).toEqual(['a@1010', 'slept@15']);
  await clock.advance(1);
  expect(seen.at(-1)).toBe('b@1020');
  expect(clock.pending).toBe(0);
});

test('what has been due for a while is due at once, without a warning', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  await new Promise<void>((resolve) => {
    systemClock.after(-5, resolve);
    setTimeout(() => undefined, 100);
  });
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});

test('an aborted sleep ends at once and leaves no timer', async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const slept = sleep(clock, 1e6, abort.signal);
  expect(clock.pending).toBe(1);
  abort.abort();
  await slept;
  expect(clock.pending).toBe(0);
  await sleep(clock, 1e6, abort.signal);
});

test('the system clock fires, and not after a cancel', async () => {
  const cancel = systemClock.after(0, () => expect.unreachable());
  cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(1, resolve);
  });
});

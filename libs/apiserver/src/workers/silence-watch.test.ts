import { ManualClock } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import { SilenceWatch } from './silence-watch.js';

function setUp(startMs = 0) {
  const clock = new ManualClock();
  let silent = 0;
  const watch = new SilenceWatch({ clock, timeoutMs: 60_000, startMs, onSilent: () => silent++ });
  return { clock, watch, silent: () => silent };
}

/** As time passes for a process that runs. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) await clock.advance(5_000);
}

it('notices, once, that nothing was heard for the time that is allowed', async () => {
  const { clock, silent } = setUp();
  await pass(clock, 55_000);
  expect(silent()).toBe(0);
  await pass(clock, 5_000);
  expect(silent()).toBe(1);
  await pass(clock, 120_000);
  expect(silent()).toBe(1);
});

it('begins anew with everything that is heard', async () => {
  const { clock, watch, silent } = setUp();
  for (let i = 0; i < 10; i++) {
    await pass(clock, 55_000);
    watch.messageReceived();
  }
  expect(silent()).toBe(0);
});

it('is quiet once it was stopped', async () => {
  const { clock, watch, silent } = setUp();
  watch.stop();
  await pass(clock, 120_000);
  expect(silent()).toBe(0);
});

it('leaves more time until the first message, and no more than that', async () => {
  const { clock, watch, silent } = setUp(100_000);
  await pass(clock, 95_000);
  watch.messageReceived();
  await pass(clock, 55_000);
  expect(silent()).toBe(0);
  await pass(clock, 5_000);
  expect(silent()).toBe(1);
});

it('notices that nothing was ever heard', async () => {
  const { clock, silent } = setUp(100_000);
  await pass(clock, 95_000);
  expect(silent()).toBe(0);
  await pass(clock, 5_000);
  expect(silent()).toBe(1);
});

import { execFileSync } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { EarlyCollection } from './early-collection.js';

const MB = 1 << 20;
const BALLAST = 40 * MB;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Bytes that lie in ArrayBuffers beyond those at the first call, in units of the ballast, to the next whole one. */
function held(): () => number {
  const before = process.memoryUsage().arrayBuffers;
  return () => Math.round((process.memoryUsage().arrayBuffers - before) / BALLAST) || 0;
}

it('a ballast is there while large buffers come, once however many do, and gone when none has for a while', () => {
  vi.useFakeTimers();
  const early = new EarlyCollection();
  const ballasts = held();
  for (let i = 0; i < 100_000; i++) early.expect(20_000);
  early.expect(MB);
  expect(ballasts()).toBe(0);
  for (let i = 0; i < 20; i++) {
    early.expect(2 * MB);
    vi.advanceTimersByTime(1_500);
    expect(ballasts()).toBe(1);
  }
  vi.advanceTimersByTime(2_000);
  expect(ballasts()).toBe(0);
  for (let i = 0; i < 2; i++) early.expect(MB);
  expect(ballasts()).toBe(1);
  vi.advanceTimersByTime(2_500);
  expect(ballasts()).toBe(0);
});

it('where no memory is to be had, it goes without, and asks for none again: V8 stops the process to look for some', () => {
  const early = new EarlyCollection();
  const none = vi.fn(function none() {
    throw new RangeError('Array buffer allocation failed');
  });
  vi.stubGlobal('ArrayBuffer', none);
  for (let i = 0; i < 8; i++) early.expect(MB);
  expect(none).toHaveBeenCalledTimes(1);
});

/** What a process took more while buffers passed through it, of which a few were alive at a time, MiB. */
function grown(early: boolean): number {
  const script = `
    import { EarlyCollection } from ${JSON.stringify(import.meta.resolve('./early-collection.ts'))};
    const early = ${early} ? new EarlyCollection() : undefined;
    const alive = [];
    const before = process.memoryUsage.rss();
    let most = 0;
    for (let i = 0; i < 400; i++) {
      alive.push(Buffer.allocUnsafeSlow(${MB}).fill(1));
      if (alive.length > 4) alive.shift();
      early?.expect(${MB});
      most = Math.max(most, process.memoryUsage.rss() - before);
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.stdout.write(String(Math.round(most / ${MB})));`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script]));
}

it('V8 lets far less gather than by itself', { retry: 2 }, () => {
  const [alone, early] = [grown(false), grown(true)];
  expect(alone).toBeGreaterThan(60);
  expect(early).toBeLessThan(0.8 * alone);
});

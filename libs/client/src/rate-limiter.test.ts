import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.js';

test('a burst, then so many a second; what is not used is saved up to the burst', async () => {
  let now = 0;
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const limiter = new RateLimiter(5, 3, sleep, () => now);
  for (let turn = 0; turn < 3; turn++) await limiter.take();
  expect(waits).toEqual([]);
  await limiter.take();
  await limiter.take();
  expect(waits, 'each waits for those before it').toEqual([200, 400]);
  now += 500;
  await limiter.take();
  expect(waits.at(-1)).toBeCloseTo(100);
  now += 60_000;
  for (let turn = 0; turn < 4; turn++) await limiter.take();
  expect(waits).toHaveLength(4);
});

test('who gives up gives the token back', async () => {
  const abort = new AbortController();
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
    if (waits.length === 1) abort.abort(new Error('enough'));
  };
  const limiter = new RateLimiter(5, 1, sleep, () => 0);
  await limiter.take();
  await expect(limiter.take(abort.signal)).rejects.toThrow('enough');
  await expect(limiter.take(abort.signal)).rejects.toThrow('enough');
  await limiter.take();
  expect(waits).toEqual([200, 200]);
});

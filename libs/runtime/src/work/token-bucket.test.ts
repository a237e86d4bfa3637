import { expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.js';

function bucketOf() {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  return { bucket: new TokenBucket(10, 2, () => now), pass };
}

it('gives so many at once, then so many a second', () => {
  const { bucket, pass } = bucketOf();
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  pass(99);
  expect(bucket.take()).toBe(false);
  pass(1);
  expect([bucket.take(), bucket.take()]).toEqual([true, false]);
  pass(60_000);
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
});

it('reserves tokens in the order in which they are asked for, and takes back what was not used', () => {
  const { bucket } = bucketOf();
  expect([1, 2, 3, 4].map(() => bucket.reserve())).toEqual([0, 0, 100, 200]);
  bucket.giveBack();
  expect(bucket.reserve()).toBe(200);
});

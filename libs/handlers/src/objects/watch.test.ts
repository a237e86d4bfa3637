import { describe, expect, it } from 'vitest';
import { lifetimeMs } from './watch.js';

const many = (options: { timeoutSeconds?: number }, maxWatchAgeMs: number) =>
  Array.from({ length: 2_000 }, () => lifetimeMs(options, { minRequestTimeoutSeconds: 1800, maxWatchAgeMs }));

describe('the life of a watch', () => {
  it('is what the client asked for', () => {
    expect(new Set(many({ timeoutSeconds: 420 }, 0))).toEqual(new Set([420_000]));
  });

  it('is spread between the least and twice that for clients that ask for nothing', () => {
    const lives = many({}, 0);
    expect(Math.min(...lives)).toBeGreaterThanOrEqual(1_800_000);
    expect(Math.max(...lives)).toBeLessThanOrEqual(3_600_000);
    expect(Math.max(...lives) - Math.min(...lives)).toBeGreaterThan(1_000_000);
  });

  it.each([{}, { timeoutSeconds: 420 }])('ends between half of the greatest age and that age: %j', (options) => {
    const lives = many(options, 60_000);
    expect(Math.min(...lives)).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...lives)).toBeLessThanOrEqual(60_000);
    expect(Math.max(...lives) - Math.min(...lives)).toBeGreaterThan(20_000);
  });

  it('is not made longer by the greatest age', () => {
    expect(new Set(many({ timeoutSeconds: 5 }, 60_000))).toEqual(new Set([5_000]));
  });
});

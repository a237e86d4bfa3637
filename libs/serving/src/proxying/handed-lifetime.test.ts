import { expect, it } from 'vitest';
import { handedLifetimeMs } from './handed-lifetime.js';

const LIMITS = { minRequestTimeoutSeconds: 1800, maxWatchAgeMs: 0 };
const of = (query: string, limits = LIMITS) => handedLifetimeMs(new URLSearchParams(query), limits);

it.each([
  ['timeoutSeconds=60', 60_000],
  ['', 3_600_000],
  ['timeoutSeconds=0', 3_600_000],
  ['timeoutSeconds=-5', 3_600_000],
  ['timeoutSeconds=soon', 3_600_000],
  ['timeoutSeconds=999999999', 1_728_000_000],
])('of a watch with %s', (query, ms) => {
  expect(of(query)).toBe(ms);
});

it('is no longer than the age that watches may reach', () => {
  const limits = { ...LIMITS, maxWatchAgeMs: 60_000 };
  expect([of('timeoutSeconds=3600', limits), of('', limits), of('timeoutSeconds=5', limits)]).toEqual([
    60_000, 60_000, 5_000,
  ]);
});

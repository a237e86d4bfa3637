import { ManualClock } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import { firstCount, PATIENCE_MS } from './first-count.js';
import type { KnownQuota } from './quota-index.js';

const quota = (name: string, uncounted: boolean) => ({ terms: { name }, uncounted }) as KnownQuota;

/** Quotas of one namespace, and who hears of changes. */
function stage(...quotas: KnownQuota[]) {
  const listeners = new Set<() => void>();
  const clock = new ManualClock();
  const index = {
    in: () => quotas,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (...now: KnownQuota[]) => {
    quotas.splice(0, quotas.length, ...now);
    for (const listener of listeners) listener();
  };
  return { clock, listeners, change, wait: (...names: string[]) => firstCount(index, 'ns', new Set(names), clock) };
}

it('waits for nothing where all are counted', async () => {
  expect(await stage(quota('a', false), quota('b', true)).wait('a')).toBe(true);
});

it('waits for the count of those that are meant', async () => {
  const { wait, change, listeners } = stage(quota('a', true), quota('b', true));
  const counted = wait('a');
  change(quota('a', true), quota('b', false));
  expect(listeners.size).toBe(1);
  change(quota('a', false), quota('b', true));
  expect(await counted).toBe(true);
  expect(listeners.size).toBe(0);
});

it('gives up where nobody counts', async () => {
  const { wait, clock, listeners } = stage(quota('a', true));
  const counted = wait('a');
  await clock.advance(PATIENCE_MS);
  expect(await counted).toBe(false);
  expect(listeners.size).toBe(0);
});

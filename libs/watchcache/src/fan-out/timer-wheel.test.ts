import { ManualClock } from '@orch/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Due, TimerWheel } from './timer-wheel.js';

describe('TimerWheel', () => {
  it('fires each item once, never early, at most a tick late, however far off', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(250_000), { maxLength: 20 }), fc.nat(10_000), (times, start) => {
        const clock = new ManualClock();
        clock.advanceNow(start);
        const fired = new Map<Due, number>();
        const wheel = new TimerWheel<Due>(clock, (item) => {
          expect(fired.has(item)).toBe(false);
          fired.set(item, clock.now());
        });
        const items = times.map((time) => ({ due: 0, slot: -1, time: start + time }));
        for (const item of items) wheel.schedule(item, item.time);
        for (const item of items.slice(0, 3)) wheel.schedule(item, item.time + 777);
        const removed = items.at(-1);
        if (removed !== undefined) wheel.remove(removed);
        clock.advanceNow(260_000);
        for (const item of items) {
          const at = fired.get(item);
          if (item === removed) {
            expect(at).toBeUndefined();
            continue;
          }
          expect(at).toBeGreaterThanOrEqual(item.due);
          expect(at).toBeLessThanOrEqual(Math.max(item.due, start) + 200);
        }
        expect(wheel.size).toBe(0);
        expect(clock.pending).toBe(0);
      }),
      { seed: 9, numRuns: 10 },
    );
  });
});

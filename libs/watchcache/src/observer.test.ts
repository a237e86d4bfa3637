import { afterEach, expect, test } from 'vitest';
import type { Flush } from './observer.js';
import { testEncoder } from './testing/fixtures.js';
import { Rig } from './testing/rig.js';

let rig: Rig | undefined;
afterEach(() => rig?.close());

test('an observer hears of changes, of each flush once, and of what single watchers catch up with', async () => {
  const flushes: Flush[] = [];
  const caughtUp: number[] = [];
  const arrived: string[] = [];
  const observer = {
    arrived: (_type: number, { name }: { name: string }) => {
      arrived.push(name);
      return name === 'quiet' ? undefined : `origin of ${name}`;
    },
    flushed: (flush: Flush) => void flushes.push(flush),
    caughtUp: (encoder: unknown, events: number) => {
      expect(encoder).toBe(testEncoder);
      if (events > 0) caughtUp.push(events);
    },
  };
  rig = new Rig({ observer });
  await rig.clock.settle();
  const { clock } = rig;
  rig.write('a/before');
  await clock.settle();
  for (let number = 0; number < 5; number++) await rig.watch();
  expect([caughtUp, flushes.length], 'the initial state of each').toEqual([[1, 1, 1, 1, 1], 0]);
  const began = clock.now();
  rig.write('a/one');
  rig.write('a/quiet');
  await clock.settle();
  expect(arrived).toEqual(['before', 'one', 'quiet']);
  expect(flushes).toEqual([
    expect.objectContaining({
      encoder: testEncoder,
      events: 2,
      watchers: 5,
      oldest: began,
      origins: ['origin of one'],
    }),
  ]);
  rig.write('a/two');
  await clock.settle();
  expect(flushes[1]).toMatchObject({ events: 1, origins: ['origin of two'] });
});

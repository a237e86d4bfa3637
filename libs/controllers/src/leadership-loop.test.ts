import { ManualClock } from '@orch/runtime/testing';
import { LEADERSHIP_MS, Leadership, RENEWAL_MS } from '@orch/runtime/work';
import { expect, it } from 'vitest';
import { LeadershipLoop } from './leadership-loop.js';

/** A loop that leads by a lease whose renewals hang when the test says so. */
function leading() {
  const clock = new ManualClock();
  const calls: string[] = [];
  const lease = { hang: undefined as Promise<void> | undefined };
  const take = async () => {
    await lease.hang;
    return true;
  };
  const leadership = new Leadership({ take, giveBack: async () => void calls.push('given back') }, clock);
  const loop = new LeadershipLoop({
    ...{ leadership, clock, onError: (error) => void calls.push(String(error)) },
    lead: () => void calls.push('leads'),
    retire: () => void calls.push('retires'),
  });
  return { clock, calls, lease, loop };
}

it('retires when the lease may have expired, however long its renewal takes to fail', async () => {
  const { clock, calls, lease, loop } = leading();
  loop.start();
  await clock.settle();
  let answer = (): void => undefined;
  lease.hang = new Promise((resolve) => (answer = resolve));
  const before = calls.length;
  await clock.advance(LEADERSHIP_MS - 1);
  expect(calls.slice(before)).toEqual([]);
  await clock.advance(1);
  expect(calls.slice(before)).toEqual(['retires']);
  lease.hang = undefined;
  answer();
  await clock.advance(RENEWAL_MS);
  expect(calls.at(-1)).toBe('leads');
  await loop.stop();
});

it('goes on where it renews in time, and leaves no timer', async () => {
  const { clock, calls, loop } = leading();
  loop.start();
  await clock.settle();
  const before = calls.length;
  await clock.advance(5 * LEADERSHIP_MS);
  expect(calls.slice(before)).toEqual([]);
  await loop.stop();
  await clock.advance(5 * LEADERSHIP_MS);
  expect(calls.slice(before)).toEqual(['given back']);
  expect(clock.pending).toBe(0);
});

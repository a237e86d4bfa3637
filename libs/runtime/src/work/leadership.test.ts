import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/index.js';
import { LEADERSHIP_MS, Leadership, RENEWAL_MS } from './leadership.js';

/** A lease whose answers come when the test says so. */
function slowLease() {
  const answers: ((taken: boolean) => void)[] = [];
  return {
    take: () => new Promise<boolean>((resolve) => answers.push(resolve)),
    giveBack: async () => undefined,
    answer: (taken: boolean) => answers.shift()?.(taken),
  };
}

describe('the leader that a lease elects', () => {
  it('leads anew where its lease ran out before the answer that renews it came', async () => {
    const [clock, lease] = [new ManualClock(), slowLease()];
    const leadership = new Leadership(lease, clock);
    const first = leadership.renew();
    lease.answer(true);
    expect(await first).toEqual({ leads: true, isNew: true });
    const term = leadership.term;
    await clock.advance(2 * RENEWAL_MS);
    const second = leadership.renew();
    await clock.advance(LEADERSHIP_MS - 2 * RENEWAL_MS + 1);
    expect([leadership.leads, leadership.term]).toEqual([false, undefined]);
    lease.answer(true);
    expect(await second).toEqual({ leads: true, isNew: true });
    expect(leadership.term).not.toBe(term);
  });

  it('goes on leading where it is renewed in time', async () => {
    const [clock, lease] = [new ManualClock(), slowLease()];
    const leadership = new Leadership(lease, clock);
    const first = leadership.renew();
    lease.answer(true);
    await first;
    const term = leadership.term;
    await clock.advance(RENEWAL_MS);
    const second = leadership.renew();
    await clock.advance(1_000);
    lease.answer(true);
    expect(await second).toEqual({ leads: true, isNew: false });
    expect(leadership.term).toBe(term);
  });
});

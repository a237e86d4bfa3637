import { ManualClock } from '@orch/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Seats } from './seats.js';
import { SharedBound } from './shared-bound.js';

let clock: ManualClock;
let outcomes: string[];
beforeEach(() => {
  clock = new ManualClock();
  outcomes = [];
});

const seatsOf = (inAll: number, perUser: number, maxWaiting = 100) =>
  new Seats({ bounds: { inAll, perUser }, maxWaiting, maxWaitMs: 1000, clock });

/** Waits, and notes how that ended. */
async function wait(seats: Seats, user: string, name: string): Promise<void> {
  const seated = await seats.wait(user, () => undefined);
  outcomes.push(`${name} ${seated}`);
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('seats', () => {
  it('are so many in all and for each user', () => {
    const seats = seatsOf(3, 2);
    expect(['a', 'a', 'a', 'b', 'b'].map((user) => seats.take(user))).toEqual([true, true, false, true, false]);
    seats.leave('a');
    expect([seats.take('b'), seats.take('a')]).toEqual([true, false]);
  });

  it('are without number where there is no bound', () => {
    const seats = seatsOf(0, 0);
    expect(Array.from({ length: 1000 }, () => seats.take('a')).every(Boolean)).toBe(true);
  });

  it('go to those who wait, user by user, whoever has most requests', async () => {
    const seats = seatsOf(1, 0);
    seats.take('x');
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void wait(seats, name.charAt(0), name);
    for (const user of ['x', 'a', 'b', 'c', 'a', 'b']) {
      seats.leave(user);
      await settled();
    }
    expect(outcomes.map((outcome) => outcome.split(' ')[0])).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([seats.waiting, clock.pending]).toEqual([0, 0]);
  });

  it('pass over a user that has all of its own', async () => {
    const seats = seatsOf(2, 1);
    seats.take('a');
    seats.take('b');
    void wait(seats, 'a', 'a');
    void wait(seats, 'c', 'c');
    seats.leave('b');
    await settled();
    expect(outcomes).toEqual(['c true']);
    seats.leave('a');
    await settled();
    expect(outcomes).toEqual(['c true', 'a true']);
  });

  it('do not come to who has waited long enough, or has gone', async () => {
    const seats = seatsOf(1, 0);
    seats.take('x');
    void wait(seats, 'a', 'a');
    let leave = (): void => undefined;
    void seats.wait('b', (ends) => (leave = ends)).then((seated) => outcomes.push(`b ${seated}`));
    leave();
    await settled();
    expect(outcomes).toEqual(['b false']);
    await clock.advance(1000);
    await settled();
    expect(outcomes).toEqual(['b false', 'a false']);
    seats.leave('x');
    expect([seats.waiting, seats.take('x')]).toEqual([0, true]);
  });

  it('are waited for by so many; the newest of who has most gives way', async () => {
    const seats = seatsOf(1, 0, 3);
    seats.take('x');
    for (const name of ['a1', 'a2', 'a3']) void wait(seats, 'a', name);
    void wait(seats, 'a', 'a4');
    await settled();
    expect(outcomes).toEqual(['a4 false']);
    void wait(seats, 'b', 'b1');
    await settled();
    expect(outcomes).toEqual(['a4 false', 'a3 false']);
    expect(seats.waiting).toBe(3);
  });
});

describe('a shared bound', () => {
  it('forgets who holds nothing', () => {
    const bound = new SharedBound({ inAll: 10, perUser: 6 });
    bound.take('a', 6);
    expect([bound.fits('a', 1), bound.fits('b', 4), bound.fits('b', 5)]).toEqual([false, true, false]);
    bound.give('a', 6);
    expect([bound.held, bound.heldBy('a'), bound.fits('b', 6)]).toEqual([0, 0, true]);
  });
});

import { describe, expect, it } from 'vitest';
import { SharedBound } from './shared-bound.js';

/** Has users hold a piece more for as long as they may. */
function fill(bound: SharedBound, user: string, piece = 1): number {
  while (bound.fitsBeside(user, piece)) bound.take(user, piece);
  return bound.heldBy(user);
}

describe('a bound that is shared fairly', () => {
  it('lets each user beside others hold as much as it leaves', () => {
    const bound = new SharedBound({ inAll: 128, perUser: 32 });
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((user) => fill(bound, user))).toEqual([32, 32, 32, 16, 8, 4]);
    expect(bound.held).toBeLessThan(128);
  });

  it('lets one alone hold as much as it may', () => {
    expect(fill(new SharedBound({ inAll: 10, perUser: 0 }), 'a')).toBe(10);
    expect(fill(new SharedBound({ inAll: 10, perUser: 7 }), 'a')).toBe(7);
  });

  it('lets who holds nothing begin, however much others hold, and no more', () => {
    const bound = new SharedBound({ inAll: 10, perUser: 4 });
    bound.take('a', 10);
    expect([bound.fitsBeside('b', 5), bound.fitsBeside('b', 4)]).toEqual([false, true]);
    bound.take('b', 1);
    expect(bound.fitsBeside('b', 1)).toBe(false);
    bound.give('a', 10);
    expect(bound.fitsBeside('b', 1)).toBe(true);
  });

  it('holds nobody where there is none', () => {
    const bound = new SharedBound({ inAll: 0, perUser: 0 });
    for (const user of ['a', 'b', 'a']) {
      expect(bound.fitsBeside(user, 1_000)).toBe(true);
      bound.take(user, 1_000);
    }
  });
});

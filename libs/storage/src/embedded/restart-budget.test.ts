import { describe, expect, it } from 'vitest';
import { RestartBudget } from './restart-budget.js';

describe('RestartBudget', () => {
  it('doubles the pauses up to a bound, and ends when the time without a server is over', () => {
    let now = 0;
    const budget = new RestartBudget({ timeout: 20_000, firstPause: 250 }, () => now);
    const pauses: number[] = [];
    for (let pause = budget.next(false); pause !== undefined; pause = budget.next(false)) {
      pauses.push(pause);
      now += pause;
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 3000, 3000, 3000, 3000, 3000, 3000]);
  });

  it('does not count the time in which the disk was full, and tries once a second then', () => {
    let now = 0;
    const budget = new RestartBudget({ timeout: 10_000, firstPause: 250 }, () => now);
    for (let i = 0; i < 1_000; i++) now += budget.next(true) ?? expect.unreachable();
    expect(budget.next(true)).toBe(1000);
    now += 9_000;
    expect(budget.next(false)).toBe(3000);
    now += 1_000;
    expect(budget.next(false)).toBeUndefined();
  });

  it('does not count the time in which the server ran, and begins anew once it was stable', () => {
    let now = 0;
    const budget = new RestartBudget({ timeout: 1_000, firstPause: 100 }, () => now);
    now += 600;
    expect(budget.next(false)).toBe(100);
    now += 50_000;
    budget.begin();
    expect(budget.next(false)).toBe(200);
    now += 399;
    expect(budget.next(false)).toBe(400);
    budget.reset();
    now += 999;
    expect(budget.next(false)).toBe(100);
    now += 1;
    expect(budget.next(false)).toBeUndefined();
  });
});

import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { InitialBudgetError } from '../errors.js';
import { type Evictable, InitialBudget } from './initial-budget.js';

function setUp(together: number, perOwner: number) {
  const clock = new ManualClock();
  const budget = new InitialBudget({ clock, limits: { together, perOwner }, keepFor: 2_000 });
  const dropped: string[] = [];
  const item = (name: string, bytes = 10): Evictable => ({ bytes, drop: () => dropped.push(name) });
  return { clock, budget, dropped, item };
}

describe('what is reserved', () => {
  it('is so much for an owner, and so much in all', () => {
    const { budget } = setUp(100, 60);
    budget.reserve('jane', 40);
    expect(() => budget.reserve('jane', 21)).toThrow(InitialBudgetError);
    budget.reserve('jane', 20);
    expect(() => budget.check('jane')).toThrow(InitialBudgetError);
    budget.check('joe');
    budget.reserve('joe', 40);
    expect(() => budget.reserve(undefined, 1)).toThrow(InitialBudgetError);
    budget.giveBack('jane', 20);
    budget.reserve(undefined, 20);
    expect(budget.bytes).toBe(100);
  });

  it('may be one that is larger than the bound, for nobody else is there', () => {
    const { budget } = setUp(100, 60);
    budget.reserve('jane', 500);
    expect(() => budget.reserve('jane', 1)).toThrow(InitialBudgetError);
    budget.giveBack('jane', 500);
    budget.reserve('jane', 1);
    expect(budget.bytes).toBe(1);
  });

  it('has no bound where none is set', () => {
    const { budget } = setUp(0, 0);
    budget.reserve('jane', 1 << 40);
    budget.reserve('jane', 1 << 40);
    budget.check('jane');
  });
});

describe('what is kept', () => {
  it('is a quarter, the most recently used of it', () => {
    const { budget, dropped, item } = setUp(100, 60);
    const items = ['a', 'b', 'c'].map((name) => item(name));
    const [a, b, c] = items as [Evictable, Evictable, Evictable];
    expect([budget.keep(a), budget.keep(b)]).toEqual([true, true]);
    budget.use(a);
    expect(budget.keep(c)).toBe(true);
    expect(dropped).toEqual(['b']);
    expect(budget.keep(item('large', 26))).toBe(false);
    expect(budget.bytes).toBe(0);
  });

  it('makes room for what is reserved', () => {
    const { budget, dropped, item } = setUp(100, 0);
    budget.keep(item('a'));
    budget.keep(item('b'));
    budget.reserve('jane', 85);
    expect([dropped, budget.bytes]).toEqual([['a'], 95]);
    budget.reserve('jane', 15);
    expect([dropped, budget.bytes]).toEqual([['a', 'b'], 100]);
  });

  it('goes when nobody has used it for a while, and leaves no timer', async () => {
    const { budget, clock, dropped, item } = setUp(0, 0);
    const used = item('used');
    budget.keep(item('unused'));
    budget.keep(used);
    await clock.advance(1_500);
    budget.use(used);
    await clock.advance(1_000);
    expect([dropped, budget.bytes]).toEqual([['unused'], 10]);
    budget.drop(used);
    budget.drop(used);
    expect([dropped, budget.bytes, clock.pending]).toEqual([['unused', 'used'], 0, 0]);
  });
});

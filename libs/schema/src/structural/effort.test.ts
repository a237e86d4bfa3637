import { describe, expect, it } from 'vitest';
import { Effort, TooManyComparisons, TooManySteps } from './effort.js';
import { weightOf } from './pattern-weight.js';

const PATTERN = '^(a|b){500}$';
/** Characters that take so many steps to match with it. */
const textFor = (steps: number) => 'a'.repeat(Math.floor((steps * 16) / weightOf(PATTERN)) - 1);
const MOST_OF_ONE = 1_000_000;

describe('work that is done in steps', () => {
  it('has no end of its own, but ends each step', () => {
    const effort = Effort.inSteps();
    for (let at = 0; at < 100; at++) expect(effort.faultOf('^b', 'a'.repeat(10_000))).toBe('^b');
    expect(effort.isSpent).toBe(true);
    expect([effort.endsStep(), effort.isSpent, effort.endsStep()]).toEqual([true, false, false]);
    expect([effort.endsStep(25_000), effort.endsStep(1)]).toEqual([false, true]);
  });

  it('refuses a match that cannot be done in parts and would take longer than a step may', () => {
    const long = Effort.inSteps().faultOf(PATTERN, textFor(MOST_OF_ONE * 1.01));
    expect(long).toBe(`${PATTERN}, but that takes more than 1000000 steps`);
    expect(Effort.inSteps().faultOf(PATTERN, textFor(MOST_OF_ONE * 0.99))).toBe(PATTERN);
  });
});

describe('work that is bounded in all', () => {
  it('ends with the steps of matching', () => {
    const effort = Effort.inAll();
    expect(effort.faultOf(PATTERN, textFor(50_000))).toBe(PATTERN);
    expect(() => effort.faultOf(PATTERN, textFor(60_000))).toThrow(TooManySteps);
    expect(effort.endsStep()).toBe(false);
  });

  it('ends with comparisons', () => {
    const effort = Effort.inAll();
    effort.compare(200_000);
    expect(() => effort.compare(1)).toThrow(TooManyComparisons);
  });
});

it('a pattern that cannot be compiled matches nothing, and says so each time', () => {
  const effort = Effort.inSteps();
  for (const _ of [1, 2]) expect(effort.faultOf('(', 'x')).toMatch(/^\(, but pattern is invalid: /);
});

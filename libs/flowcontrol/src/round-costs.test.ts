import { describe, expect, it } from 'vitest';
import { RoundCosts } from './round-costs.js';

/** What is found out by rounds in which `usually` requests begin, each of which takes so long in that round or in the third one behind it. */
function found(usually: number, { each, others, later = false }: { each: number; others: number; later?: boolean }) {
  const costs = new RoundCosts(0);
  const begun: number[] = [];
  for (let round = 0; round < 10_000; round++) {
    const now = costs.wanted(usually);
    begun.push(now);
    costs.note(now, others + each * (later ? (begun.at(-4) ?? usually) : now));
  }
  return costs;
}

describe('what rounds cost', () => {
  it.each([
    { each: 0.1, others: 0.2, usually: 3 },
    { each: 0.6, others: 0.1, usually: 1 },
    { each: 0.05, others: 0.3, usually: 40 },
  ])('is told apart from what requests do: $others ms beside $usually of $each ms', ({ each, others, usually }) => {
    const costs = found(usually, { each, others });
    expect(costs.each).toBeCloseTo(each, 2);
    expect(costs.others).toBeCloseTo(others, 1);
  });

  it('is told apart as well where requests take their time some rounds after they have begun', () => {
    const costs = found(4, { each: 0.1, others: 0.2, later: true });
    expect(costs.each).toBeGreaterThan(0.04);
    expect(costs.others).toBeLessThan(0.45);
  });

  it('is for each request a tenth at least of what rounds take for it', () => {
    const costs = found(5, { each: 0, others: 1 });
    expect(costs.each).toBeCloseTo(0.02, 3);
    expect(costs.others).toBeCloseTo(0.9, 2);
  });

  it('is not tried where rounds are short', () => {
    const costs = new RoundCosts(0.5);
    for (let round = 0; round < 200; round++) {
      expect(costs.wanted(3)).toBe(3);
      costs.note(3, 0.4);
    }
    expect([costs.areLong, costs.average]).toEqual([false, expect.closeTo(0.4 / 3, 2)]);
  });
});

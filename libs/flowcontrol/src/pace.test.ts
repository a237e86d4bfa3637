import { describe, expect, it } from 'vitest';
import { LoopPace, type PausedRequests } from './pace.js';

/** An event loop, round by round, in which each request that begins takes so many milliseconds. */
function loop(costMs: number, otherMs = 0) {
  const next: (() => void)[] = [];
  let now = 10_000;
  const begun: string[] = [];
  return {
    begun,
    nextRound: (then: () => void) => void next.push(then),
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    /** @returns what has begun in it */
    round() {
      const before = begun.length;
      for (const then of next.splice(0)) then();
      now += otherMs + costMs * (begun.length - before);
      return begun.slice(before);
    },
    /** So many requests that wait in one level. */
    waiting(name: string, count: number, sparse = 0, breadth = 1): PausedRequests {
      return {
        breadth,
        resumeSparse() {
          if (sparse === 0) return false;
          sparse--;
          begun.push(`sparse of ${name}`);
          return true;
        },
        resume() {
          begun.push(name);
          return --count > 0;
        },
      };
    },
  };
}

const MANY = 1_000_000;
const median = (of: readonly number[]) => [...of].sort((a, b) => a - b)[of.length >> 1];

/** Two callers take turns, so that neither is alone. */
function crowd(pace: LoopPace): void {
  pace.comes('one');
  pace.comes('other');
}

describe('the pace of a process', () => {
  it('lets requests begin as they come, as many as a round has time for, and anew in each round', () => {
    const { nextRound, round, now } = loop(0.1);
    const pace = new LoopPace(0.3, nextRound, now);
    crowd(pace);
    pace.begins();
    round();
    expect([1, 2, 3, 4].map(() => pace.mayBegin())).toEqual([true, true, true, false]);
    round();
    expect(pace.mayBegin()).toBe(true);
  });

  it.each([
    [0.5, 4],
    [3, 12],
    [8, 32],
    [20, 32],
  ])('lets rounds be as much longer as callers wait: %d', (callers, begins) => {
    const { nextRound, round, now, waiting } = loop(0.1);
    const pace = new LoopPace(0.4, nextRound, now);
    crowd(pace);
    pace.hold(waiting('some', MANY, 0, callers / 2));
    pace.hold(waiting('others', MANY, 0, callers / 2));
    for (let count = 0; count < 100; count++) {
      crowd(pace);
      round();
    }
    expect(round()).toHaveLength(begins);
  });

  it('resumes one at least of those that wait in each round, levels by turns, and lets nobody pass them', () => {
    const { nextRound, round, now, waiting } = loop(1);
    const pace = new LoopPace(0.01, nextRound, now);
    crowd(pace);
    const [many, few] = [waiting('many', 4, 0, 0.5), waiting('few', 1, 0, 0.5)];
    pace.hold(many);
    pace.hold(many);
    pace.hold(few);
    expect(pace.mayBegin()).toBe(false);
    expect([pace.holds(many), pace.holds(few)]).toEqual([true, true]);
    expect([round(), round(), round()]).toEqual([['many'], ['few'], ['many']]);
    expect(pace.holds(few)).toBe(false);
    expect([round(), round(), round()]).toEqual([['many'], ['many'], []]);
    expect(pace.mayBegin()).toBe(true);
  });

  it.each([
    { costMs: 0.05, begin: 10 },
    { costMs: 0.25, begin: 2 },
    { costMs: 4, begin: 1 },
  ])('finds out that $begin requests of $costMs ms make a round of half a millisecond', ({ costMs, begin }) => {
    const { nextRound, round, now, waiting } = loop(costMs);
    const pace = new LoopPace(0.5, nextRound, now);
    pace.hold(waiting('many', MANY));
    const begun: number[] = [];
    for (let count = 0; count < 1_000; count++) {
      crowd(pace);
      begun.push(round().length);
    }
    expect(median(begun.slice(-200))).toBe(begin);
  });

  it('finds out soon where requests become dear', () => {
    const { nextRound, round, now, waiting, pass } = loop(0.05);
    const pace = new LoopPace(0.5, nextRound, now);
    pace.hold(waiting('many', MANY));
    const rounds = (count: number, dearer: number) =>
      Array.from({ length: count }, () => {
        crowd(pace);
        const { length } = round();
        pass(dearer * length);
        return length;
      });
    rounds(1_000, 0);
    const then = now();
    expect(rounds(30, 2).at(-1)).toBeLessThanOrEqual(2);
    expect(now() - then).toBeLessThan(500);
  });

  it.each([
    { otherMs: 0.25, laterRounds: 0, begin: 5 },
    { otherMs: 0.25, laterRounds: 12, begin: 5 },
    { otherMs: 3, laterRounds: 12, begin: 1 },
  ])(
    'lets $begin requests of 0.05 ms begin where rounds take $otherMs ms for other things, and requests $laterRounds rounds',
    ({ otherMs, laterRounds, begin }) => {
      const { nextRound, round, now, waiting, pass } = loop(0, otherMs);
      const pace = new LoopPace(0.5, nextRound, now);
      pace.hold(waiting('many', MANY));
      const begun: number[] = [];
      for (let count = 0; count < 3_000; count++) {
        crowd(pace);
        begun.push(round().length);
        pass(0.05 * (begun.at(-1 - laterRounds) ?? 0));
      }
      expect(median(begun.slice(-500))).toBe(begin);
      expect(Math.max(...begun.slice(-500))).toBeLessThanOrEqual(begin + 3);
    },
  );

  it('takes a round in which the process stood still for one of twenty milliseconds, and a shorter one for what it was', () => {
    const after = (stillMs: number) => {
      const { nextRound, round, now, waiting, pass } = loop(0.1);
      const pace = new LoopPace(0.5, nextRound, now);
      pace.hold(waiting('many', MANY));
      const rounds = (count: number) =>
        Array.from({ length: count }, () => {
          crowd(pace);
          return round().length;
        });
      expect(rounds(100).at(-1)).toBe(5);
      pass(stillMs);
      return rounds(1_000);
    };
    const longest = after(20);
    expect([longest[0], longest[1], longest.at(-1)]).toEqual([1, 1, 5]);
    expect(after(60_000)).toEqual(longest);
    expect(after(15)).not.toEqual(longest);
  });

  it('resumes who asks once in a while first, all of them, however few others begin in a round', () => {
    const { nextRound, round, now, waiting } = loop(1);
    const pace = new LoopPace(0.01, nextRound, now);
    crowd(pace);
    pace.hold(waiting('a', 10, 3, 0.5));
    pace.hold(waiting('b', 10, 80, 0.5));
    expect(round()).toEqual([...Array(3).fill('sparse of a'), ...Array(61).fill('sparse of b'), 'a']);
    expect(round()).toEqual([...Array(19).fill('sparse of b'), 'b']);
    expect(round()).toEqual(['a']);
  });

  it('takes those that wait for nothing for requests as well: beside many of them as many begin as cost no more', () => {
    const { nextRound, round, now, waiting, pass } = loop(0.1);
    const pace = new LoopPace(0.5, nextRound, now);
    pace.hold(waiting('many', MANY));
    for (let count = 0; count < 100; count++) {
      crowd(pace);
      for (let exempt = 0; exempt < 50; exempt++) pace.begins();
      pass(5);
      round();
    }
    expect(round()).toHaveLength(5);
  });

  it('gives rounds eight times as long to a caller beside whom nobody has asked for a second', () => {
    const { nextRound, round, now, waiting, pass } = loop(0.1);
    const pace = new LoopPace(0.5, nextRound, now);
    pace.hold(waiting('many', MANY));
    crowd(pace);
    round();
    expect(round()).toHaveLength(5);
    pass(1_001);
    pace.comes('other');
    // The pause was no round of the loop that could be judged by, but it is taken for one.
    for (let count = 0; count < 980; count++) round();
    expect(round()).toHaveLength(40);
    pace.comes('one');
    expect(round()).toHaveLength(5);
  });

  it('learns nothing of what a request costs from time in which nothing waited', () => {
    const { nextRound, round, now, waiting, pass } = loop(0.1);
    const pace = new LoopPace(0.5, nextRound, now);
    for (let count = 0; count < 10; count++) {
      crowd(pace);
      expect(pace.mayBegin()).toBe(true);
      pass(500);
      round();
    }
    crowd(pace);
    pace.hold(waiting('many', MANY));
    expect([round(), round()].map(({ length }) => length)).toEqual([5, 5]);
  });
});

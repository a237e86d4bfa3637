import { describe, expect, it } from 'vitest';
import { LoopPace, type Waiting } from './pace.js';

/** Rounds of an event loop, one by one. */
function loop() {
  let next: (() => void)[] = [];
  return {
    nextRound: (then: () => void) => void next.push(then),
    round() {
      const now = next;
      next = [];
      for (const then of now) then();
      return now.length;
    },
  };
}

/** So many requests that wait in one level. */
function waiting(name: string, count: number, begun: string[]): Waiting {
  return {
    resume() {
      begun.push(name);
      return --count > 0;
    },
  };
}

describe('the pace of a process', () => {
  it('lets requests begin as they come for a while, and anew in each round', () => {
    const { nextRound, round } = loop();
    const pace = new LoopPace(Number.POSITIVE_INFINITY, nextRound);
    expect([pace.mayBegin(), pace.mayBegin()]).toEqual([true, true]);
    const short = new LoopPace(0, nextRound);
    expect([short.mayBegin(), short.mayBegin()]).toEqual([true, false]);
    round();
    expect(short.mayBegin()).toBe(true);
  });

  it('resumes those that wait for a while in each round, one at least, levels by turns, and lets nobody pass them', () => {
    const { nextRound, round } = loop();
    const atOnce = (then: () => void) => then();
    const pace = new LoopPace(0, nextRound, atOnce);
    const begun: string[] = [];
    const [many, few] = [waiting('many', 4, begun), waiting('few', 1, begun)];
    pace.hold(many);
    pace.hold(many);
    pace.hold(few);
    expect(pace.mayBegin()).toBe(false);
    expect([pace.holds(many), pace.holds(few)]).toEqual([true, true]);
    for (let count = 0; count < 3; count++) expect(round()).toBe(1);
    expect(begun).toEqual(['many', 'few', 'many']);
    expect(pace.holds(few)).toBe(false);
    while (round() > 0);
    expect(begun).toEqual(['many', 'few', 'many', 'many', 'many']);
    expect(pace.mayBegin()).toBe(true);
  });

  it('resumes as many as there is time for, each when the one before has been carried out', async () => {
    const { nextRound, round } = loop();
    const pace = new LoopPace(Number.POSITIVE_INFINITY, nextRound);
    const begun: string[] = [];
    const carriedOut: string[] = [];
    const level: Waiting = {
      resume() {
        const name = `r${begun.length}`;
        begun.push(name);
        // Nobody knows how many promises lie between a turn and what is done with it.
        void (async () => {
          for (let hop = 0; hop < 20; hop++) await undefined;
          expect(begun.at(-1)).toBe(name);
          carriedOut.push(name);
        })();
        return begun.length < 5;
      },
    };
    pace.hold(level);
    expect(round()).toBe(1);
    await expect.poll(() => carriedOut).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
    expect(round()).toBe(0);
  });
});

import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LongSteps, turnFor } from './turns.js';

const LARGE = 1 << 20;

it('costs a small body nothing', () => {
  expect(turnFor()).toBeUndefined();
  expect(turnFor(1_000)).toBeUndefined();
});

/** Counts the turns of the event loop until it is told to end. */
function countedTurns() {
  const turns = { now: 0, over: false };
  const count = (): void => {
    turns.now++;
    if (!turns.over) setImmediate(count);
  };
  setImmediate(count);
  return turns;
}

/** Works for longer than a turn may last. */
function work(): void {
  const end = performance.now() + 2;
  while (performance.now() < end);
}

it('lets no two steps of large bodies follow each other within one turn', async () => {
  const turns = countedTurns();
  const taken: number[] = [];
  const step = async () => {
    for (let i = 0; i < 3; i++) {
      await turnFor(LARGE);
      taken.push(turns.now);
    }
  };
  await Promise.all([step(), step(), step()]);
  turns.over = true;
  await nextTurn();
  expect(taken).toHaveLength(9);
  expect(new Set(taken).size).toBe(9);
});

it('hears others between a step that was made without waiting and the next', async () => {
  await nextTurn();
  // Immediates follow what was read from a file without a look at anything else.
  await stat('/');
  const seen: string[] = [];
  setTimeout(() => seen.push('other'), 0);
  work();
  seen.push('first');
  await turnFor(LARGE);
  seen.push('second');
  expect(seen).toEqual(['first', 'other', 'second']);
});

describe('of steps that are long', () => {
  /** Takes steps one after the other, and notes in which turns. */
  async function takeSteps(count: number, turns: { readonly now: number }, step = work): Promise<number[]> {
    const [steps, taken] = [new LongSteps(), [] as number[]];
    for (let i = 0; i < count; i++) {
      await steps.take(() => {
        step();
        taken.push(turns.now);
      });
    }
    return taken;
  }

  it('each has a turn for itself, beside large bodies too, and nobody has two before each has one', async () => {
    await nextTurn();
    const turns = countedTurns();
    const body = turnFor(LARGE)?.then(() => {
      work();
      return [turns.now];
    });
    const taken = await Promise.all([...Array.from({ length: 5 }, () => takeSteps(3, turns)), body ?? []]);
    turns.over = true;
    expect(new Set(taken.flat()).size).toBe(3 * 5 + 1);
    const firsts = taken.map(([first = 0]) => first);
    // What is under way and what begins have every other turn.
    expect(Math.max(...firsts)).toBeLessThanOrEqual(2 * firsts.length + 2);
  });

  it('short ones that begin have a turn together, and do not stand behind what is under way', async () => {
    const turns = countedTurns();
    const long = Array.from({ length: 8 }, () => takeSteps(4, turns));
    // All of them have begun then, and none is done.
    for (let i = 0; i < 20; i++) await nextTurn();
    const begun = turns.now;
    const short = await Promise.all(Array.from({ length: 20 }, () => takeSteps(1, turns, () => undefined)));
    expect(Math.max(...short.flat()) - begun).toBeLessThanOrEqual(2);
    await Promise.all(long);
    turns.over = true;
  });

  it('follow each other with no turn between them', async () => {
    await nextTurn();
    const turns = countedTurns();
    const taken = (await Promise.all(Array.from({ length: 6 }, () => takeSteps(1, turns)))).flat();
    turns.over = true;
    // But for one behind the first, which did not wait for its own.
    expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(6);
  });

  it('input is heard between one that does not wait and the next', async () => {
    for (let i = 0; i < 3; i++) await nextTurn();
    // Callbacks of input come right before the line gives turns.
    await stat('.');
    const order: string[] = [];
    const step = () => {
      work();
      order.push('step');
    };
    const steps = [new LongSteps().take(step), new LongSteps().take(step)];
    setImmediate(() => order.push('turn'));
    await Promise.all(steps);
    expect(order).toEqual(['step', 'turn', 'step']);
  });

  it('what is under way goes on, however much begins', async () => {
    const turns = countedTurns();
    const begun = [takeSteps(1, turns), takeSteps(1, turns)];
    const long = takeSteps(4, turns);
    for (let i = 0; i < 40; i++) {
      begun.push(takeSteps(1, turns), takeSteps(1, turns));
      await nextTurn();
    }
    const last = turns.now;
    turns.over = true;
    expect((await long).at(-1)).toBeLessThan(last);
    await Promise.all(begun);
  });

  it('the first is taken at once where the turn is free', async () => {
    await nextTurn();
    await nextTurn();
    expect(new LongSteps().take(() => 1)).toBe(1);
  });

  it('what a step throws is thrown to who takes it', async () => {
    const fail = () => {
      work();
      throw new Error('no');
    };
    const steps = Array.from({ length: 3 }, async () => new LongSteps().take(fail));
    expect((await Promise.allSettled(steps)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  });
});

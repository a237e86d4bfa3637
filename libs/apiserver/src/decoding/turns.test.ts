import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { turnFor } from './turns.js';

const LARGE = 1 << 20;

it('costs a small body nothing', () => {
  expect(turnFor()).toBeUndefined();
  expect(turnFor(1_000)).toBeUndefined();
});

it('lets no two steps of large bodies follow each other within one turn', async () => {
  let turn = 0;
  let counting = true;
  const count = (): void => {
    turn++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const taken: number[] = [];
  const step = async () => {
    for (let i = 0; i < 3; i++) {
      await turnFor(LARGE);
      taken.push(turn);
    }
  };
  await Promise.all([step(), step(), step()]);
  counting = false;
  await nextTurn();
  expect(taken).toHaveLength(9);
  expect(new Set(taken).size).toBe(9);
});

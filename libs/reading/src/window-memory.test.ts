import { expect, it } from 'vitest';
import { WindowMemory } from './window-memory.js';
import { LEAST_BYTES, WINDOW_BYTES } from './windows.js';

it('is bounded in all and of each user, and given back once', () => {
  const memory = new WindowMemory({ inAll: 3 * WINDOW_BYTES, perUser: 2 * WINDOW_BYTES });
  const first = memory.reserve('a');
  expect([first.bytes, memory.reserve('a').bytes, memory.reserve('a').bytes]).toEqual([
    WINDOW_BYTES,
    WINDOW_BYTES,
    LEAST_BYTES,
  ]);
  expect([memory.reserve('b').bytes, memory.reserve('c').bytes, memory.held]).toEqual([
    WINDOW_BYTES,
    LEAST_BYTES,
    3 * WINDOW_BYTES,
  ]);
  first.release();
  first.release();
  expect(memory.held).toBe(2 * WINDOW_BYTES);
  expect([memory.reserve('c').bytes, memory.reserve('a').bytes]).toEqual([WINDOW_BYTES, LEAST_BYTES]);
});

it('of which there was none has nothing to be given back', () => {
  const memory = new WindowMemory({ inAll: 1, perUser: 0 });
  memory.reserve('a').release();
  expect(memory.held).toBe(0);
});

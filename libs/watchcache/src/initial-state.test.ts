import { expect, it } from 'vitest';
import { CacheEntry } from './cache-entry.js';
import type { FrameEncoder } from './frames.js';
import { InitialState } from './initial-state.js';

const describe = () => ({ labels: {}, fields: {} });

/** How many events each piece has, of so many objects of which so many bytes are shown. */
function piecesOf(objects: number, bodyBytes: number, shownBytes: number): number[] {
  const body = Buffer.alloc(bodyBytes, ' ');
  const entries = Array.from({ length: objects }, (_, i) => new CacheEntry('', `o${i}`, 'u', 1n, body, describe));
  const frame = Buffer.alloc(shownBytes);
  const encoder: FrameEncoder = { key: 'k', event: () => frame, bookmark: () => frame, error: () => frame };
  const state = new InitialState(1n, 0, 0, entries, encoder);
  const events: number[] = [];
  for (let number = 0; state.piece(number); number++) events.push(state.eventsOf(number));
  return events;
}

it('a piece is so large that nobody waits for it, and made of no more than that', () => {
  expect(piecesOf(10, 100, 50 << 10)).toEqual([2, 2, 2, 2, 2]);
  expect(piecesOf(10, 128 << 10, 100)).toEqual([4, 4, 2]);
  expect(piecesOf(3, 1 << 20, 100)).toEqual([1, 1, 1]);
  expect(piecesOf(3, 1 << 20, 1 << 20)).toEqual([1, 1, 1]);
  expect(piecesOf(1_000, 1_000, 100)).toEqual([525, 475]);
});

import { expect, it } from 'vitest';
import { FrameCache, type FrameEncoder } from '../fan-out/frames.js';
import { CacheEntry } from '../state/cache-entry.js';
import { InitialState, type InitialStateActions } from './initial-state.js';

const describe = () => ({ labels: {}, fields: {} });
const frames = new FrameCache(0);

/** Keeps no piece. */
const actions: InitialStateActions = {
  encode: (...event) => frames.encode(...event),
  keep: () => undefined,
  use: () => undefined,
  drop: () => undefined,
};

/** The state of so many objects, of each of which so many bytes are shown. */
function stateOf(objects: number, bodyBytes: number, shownBytes: number): InitialState {
  const body = Buffer.alloc(bodyBytes, ' ');
  const entries = Array.from(
    { length: objects },
    (_, i) => new CacheEntry('', `o${i}`, 'u', BigInt(i), body, describe),
  );
  const encoder: FrameEncoder = {
    key: 'k',
    event: (_, { name }) => Buffer.alloc(shownBytes, name),
    bookmark: () => Buffer.alloc(0),
    error: () => Buffer.alloc(0),
  };
  return new InitialState(1n, 0, 0, entries, encoder, actions);
}

/** How many events each piece has. */
function piecesOf(...objects: Parameters<typeof stateOf>): number[] {
  const state = stateOf(...objects);
  const events: number[] = [];
  for (let number = 0; state.piece(number); number++) events.push(state.eventsOf(number));
  return events;
}

it('a piece is no larger than what a client may leave unread, and made of so little that nobody waits for it', () => {
  expect(piecesOf(10, 100, 10 << 10)).toEqual([3, 3, 3, 1]);
  expect(piecesOf(3, 100, 50 << 10)).toEqual([1, 1, 1]);
  expect(piecesOf(10, 128 << 10, 100)).toEqual([4, 4, 2]);
  expect(piecesOf(3, 1 << 20, 100)).toEqual([1, 1, 1]);
  expect(piecesOf(3, 1 << 20, 1 << 20)).toEqual([1, 1, 1]);
  expect(piecesOf(1_000, 1_000, 100)).toEqual([327, 327, 327, 19]);
  expect(piecesOf(0, 0, 0)).toEqual([]);
});

it('a piece is larger while many read, and stays what it is when they have left', () => {
  const state = stateOf(300, 900, 1_000);
  state.readers = 7;
  expect([state.piece(0)?.length, state.eventsOf(0)]).toEqual([32_000, 32]);
  state.readers = 8;
  const shared = state.piece(1);
  expect(shared).toHaveLength(131_000);
  state.readers = 1;
  expect(state.piece(1)).toEqual(shared);
  expect([state.piece(0)?.length, state.piece(2)?.length]).toEqual([32_000, 32_000]);
});

it('a piece that is not kept is the same when it is made again', () => {
  const state = stateOf(100, 900, 1_000);
  const made: Buffer[] = [];
  for (let piece = state.piece(0); piece; piece = state.piece(made.length)) made.push(piece);
  expect(made).toHaveLength(4);
  for (const [number, piece] of made.entries()) expect(state.piece(number)).toEqual(piece);
  expect(Buffer.concat(made)).toHaveLength(100_000);
});

it('what readers hold beyond what each stream may is the list, and the large objects that are on their way', () => {
  expect(stateOf(1_000, 1_000, 100).heldBy(500)).toBe(9_000);
  const large = stateOf(10, 1 << 20, 1 << 20);
  expect([1, 4, 5, 500].map((readers) => large.heldBy(readers) - large.listBytes)).toEqual([
    2 << 20,
    8 << 20,
    10 << 20,
    10 << 20,
  ]);
});

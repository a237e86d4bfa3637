import { type EqualityKey, valueIn } from './attributes.js';
import type { ChangeEvent } from './ring.js';

/** Attributes indexed at a time. */
const MAX_KEYS = 4;
/** Milliseconds after which an index that nobody asks is dropped. */
const IDLE = 10_000;
/** Cursors of dropped events that an index may hold beside as many as there are events. */
const SLACK = 1_024;

interface KeyIndex {
  /** Cursors of the events that have the value before or after, ascending. */
  readonly cursors: Map<string, number[]>;
  held: number;
  /** Monotonic ms. */
  usedAt: number;
}

/** The events of a ring, as the index reads them. */
export interface Indexed {
  readonly first: number;
  readonly next: number;
  at(cursor: number): ChangeEvent | undefined;
}

/**
 * Finds the events of a ring that have a value, for watchers that catch up on a few objects of many: built when the first
 * of them asks, kept up to date while there are such.
 */
export class RingIndex {
  readonly #keys = new Map<EqualityKey, KeyIndex>();

  constructor(private readonly ring: Indexed) {}

  /** Cursor of the first event at or behind a cursor that may concern whoever wants the value; `next` if there is none. */
  seek(key: EqualityKey, value: string, cursor: number, now: number): number {
    const index = this.#keys.get(key) ?? this.#build(key);
    if (index === undefined) return cursor;
    index.usedAt = now;
    const cursors = index.cursors.get(value) ?? [];
    let from = 0;
    let to = cursors.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((cursors[middle] ?? 0) < cursor) from = middle + 1;
      else to = middle;
    }
    return cursors[from] ?? this.ring.next;
  }

  /** Takes in an event that has just been put into the ring. */
  push(cursor: number, event: ChangeEvent): void {
    for (const [key, index] of this.#keys) {
      const outgrown = index.held > 2 * (this.ring.next - this.ring.first) + SLACK;
      if (event.at - index.usedAt > IDLE || outgrown) this.#keys.delete(key);
      else add(index, key, cursor, event);
    }
  }

  #build(key: EqualityKey): KeyIndex | undefined {
    if (this.#keys.size >= MAX_KEYS) return undefined;
    const index: KeyIndex = { cursors: new Map(), held: 0, usedAt: 0 };
    for (let cursor = this.ring.first; cursor < this.ring.next; cursor++) {
      const event = this.ring.at(cursor);
      if (event !== undefined) add(index, key, cursor, event);
    }
    this.#keys.set(key, index);
    return index;
  }
}

function add(index: KeyIndex, key: EqualityKey, cursor: number, { entry, prior }: ChangeEvent): void {
  const now = valueIn(entry, key);
  const before = prior && valueIn(prior, key);
  if (now !== undefined) addValue(index, now, cursor);
  if (before !== undefined && before !== now) addValue(index, before, cursor);
}

function addValue(index: KeyIndex, value: string, cursor: number): void {
  const cursors = index.cursors.get(value);
  if (cursors === undefined) index.cursors.set(value, [cursor]);
  else cursors.push(cursor);
  index.held++;
}

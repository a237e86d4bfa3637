import { type EqualityKey, NAME_FIELD, valueIn } from '../state/attributes.js';
import type { ChangeEvent } from './change-event.js';

/** Attributes indexed at a time. */
const MAX_KEYS = 4;
/** Milliseconds after which an unused index is dropped. */
const IDLE = 10_000;
/** Cursors of dropped events that an index may hold, beside as many as there are events. */
const SLACK = 1_024;
/** Events that are indexed at a time: the attributes of each may have to be parsed. */
const SLICE = 256;

interface KeyIndex {
  /** Cursor of the first event that is not indexed yet. */
  upTo: number;
  /** Cursors of the events that have the value before or after, ascending. */
  readonly cursors: Map<string, number[]>;
  /** Cursors of events that may have any value: objects with unknown attributes. */
  readonly unknown: number[];
  held: number;
  /** Monotonic ms. */
  usedAt: number;
}

/** The events of a ring, as the index reads them. */
interface Indexed {
  readonly first: number;
  readonly next: number;
  at(cursor: number): ChangeEvent | undefined;
}

/**
 * Finds the events of a ring that have a value, for watchers that catch up on a few objects of many: built when the
 * first of them arrives, a slice with each of their steps, and kept up to date while there are such.
 */
export class RingIndex {
  readonly #keys = new Map<EqualityKey, KeyIndex>();

  constructor(private readonly ring: Indexed) {}

  /**
   * Continues the index of a key, for a watcher at a cursor.
   * @returns the cursor up to which values can be searched for from there; behind it, after another call
   */
  prepare(key: EqualityKey, cursor: number, now: number): number {
    const index = this.#keys.get(key) ?? this.#begin(key);
    if (index === undefined) return this.ring.next;
    index.usedAt = now;
    this.#grow(key, index);
    return cursor < index.upTo ? index.upTo : this.ring.next;
  }

  /**
   * Cursor of the first event at or behind a cursor that may have the value, or of the first that is not indexed; the
   * cursor itself if that is not indexed.
   */
  seek(key: EqualityKey, value: string, cursor: number): number {
    const index = this.#keys.get(key);
    if (index === undefined || cursor >= index.upTo) return cursor;
    const known = nextOf(index.cursors.get(value) ?? [], cursor) ?? index.upTo;
    return Math.min(known, nextOf(index.unknown, cursor) ?? known);
  }

  /** Indexes an event that has just been added to the ring. */
  push(cursor: number, event: ChangeEvent): void {
    for (const [key, index] of this.#keys) {
      const outgrown = index.held > 2 * (this.ring.next - this.ring.first) + SLACK;
      if (event.at - index.usedAt > IDLE || outgrown) this.#keys.delete(key);
      else if (index.upTo === cursor) this.#grow(key, index);
    }
  }

  #begin(key: EqualityKey): KeyIndex | undefined {
    if (this.#keys.size >= MAX_KEYS) return undefined;
    const index: KeyIndex = { upTo: this.ring.first, cursors: new Map(), unknown: [], held: 0, usedAt: 0 };
    this.#keys.set(key, index);
    return index;
  }

  #grow(key: EqualityKey, index: KeyIndex): void {
    const { first, next } = this.ring;
    const from = Math.max(index.upTo, first);
    const to = Math.min(next, from + SLICE);
    for (let cursor = from; cursor < to; cursor++) {
      const event = this.ring.at(cursor);
      if (event !== undefined) add(index, key, cursor, event);
    }
    index.upTo = to;
  }
}

/** Returns the first of ascending cursors at or behind one. */
function nextOf(cursors: readonly number[], cursor: number): number | undefined {
  let from = 0;
  let to = cursors.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((cursors[middle] ?? 0) < cursor) from = middle + 1;
    else to = middle;
  }
  return cursors[from];
}

function add(index: KeyIndex, key: EqualityKey, cursor: number, { entry, prior }: ChangeEvent): void {
  if (key !== NAME_FIELD && (entry.failure ?? prior?.failure)) {
    index.unknown.push(cursor);
    index.held++;
    return;
  }
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

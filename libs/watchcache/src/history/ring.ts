import type { Version } from '@orch/storage';
import type { EqualityKey } from '../state/attributes.js';
import { type CacheEntry, sizeOf } from '../state/cache-entry.js';
import type { ChangeEvent } from './change-event.js';
import { RingIndex } from './ring-index.js';

/**
 * Recent changes of a type, bounded in time and bytes. A cursor is the number of an event, counted from the start of
 * the ring's life: it stays valid while events are added and removed, and one below `first` is expired.
 */
export class Ring {
  #events: (ChangeEvent | undefined)[] = [];
  /** Index of the oldest event in the array; those before it have been dropped. */
  #offset = 0;
  #first = 0;
  #bytes = 0;
  #floor: Version;
  readonly #index = new RingIndex(this);

  constructor(
    floor: Version,
    private readonly maxAge: number,
    private readonly maxBytes: number,
  ) {
    this.#floor = floor;
  }

  /** Version after which every change is here. */
  get floor(): Version {
    return this.#floor;
  }

  /** Cursor of the oldest event. */
  get first(): number {
    return this.#first;
  }

  /** Cursor of the event to come. */
  get next(): number {
    return this.#first + this.length;
  }

  get length(): number {
    return this.#events.length - this.#offset;
  }

  /** Bytes kept beside the state of the type, without frames. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it is bounded by bytes, not by time. */
  get full(): boolean {
    return this.#bytes > this.maxBytes * 0.9;
  }

  /** Milliseconds from the oldest event to the newest. */
  get span(): number {
    return (this.#events.at(-1)?.at ?? 0) - (this.#events[this.#offset]?.at ?? 0);
  }

  at(cursor: number): ChangeEvent | undefined {
    return this.#events[cursor - this.#first + this.#offset];
  }

  /** Returns the version reached by a stream with all events before a cursor; the floor for a dropped cursor. */
  versionBefore(cursor: number): Version {
    return this.at(cursor - 1)?.version ?? this.#floor;
  }

  /**
   * Prepares a search for a value from a cursor on.
   * @returns the cursor up to which `seek` may be called then; behind it, after another call
   */
  prepare(key: EqualityKey, cursor: number, now: number): number {
    return cursor < this.next ? this.#index.prepare(key, cursor, now) : cursor;
  }

  /** Cursor of the next event, from a cursor on, that may have the value. */
  seek([key, value]: readonly [EqualityKey, string], cursor: number): number {
    return this.#index.seek(key, value, cursor);
  }

  push(event: ChangeEvent): void {
    this.#events.push(event);
    this.#bytes += bytesOf(event);
    this.#index.push(this.next - 1, event);
    this.evict(event.at);
  }

  /** Replaces an object that could not be served by its later conversion, in the event that brought it. */
  heal(failed: CacheEntry, healed: CacheEntry): void {
    const place = this.cursorAfter(failed.version - 1n) - this.#first + this.#offset;
    const event = this.#events[place];
    if (event?.entry === failed) this.#events[place] = { ...event, entry: healed, frames: undefined };
  }

  /** Drops events beyond the limits of age or bytes. */
  evict(now: number): void {
    for (;;) {
      const oldest = this.#events[this.#offset];
      if (oldest === undefined) break;
      if (this.#bytes <= this.maxBytes && now - oldest.at <= this.maxAge) break;
      this.#bytes -= bytesOf(oldest);
      this.#floor = oldest.version;
      this.#events[this.#offset] = undefined;
      this.#offset++;
      this.#first++;
    }
    // The array is moved only when half of it is empty, which makes it cheap per event.
    if (this.#offset > 1024 && this.#offset * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#offset);
      this.#offset = 0;
    }
  }

  /** Returns the cursor of the first event after a version that is not below the floor. */
  cursorAfter(version: Version): number {
    let from = this.#offset;
    let to = this.#events.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const event = this.#events[middle];
      if (event !== undefined && event.version <= version) from = middle + 1;
      else to = middle;
    }
    return from - this.#offset + this.#first;
  }
}

/** Bytes of an event beside its states and frames, as measured. */
export const EVENT_OVERHEAD = 150;

/** Bytes that an event retains: the state before it; the state after belongs to the type until it is replaced. */
function bytesOf({ op, entry, prior }: ChangeEvent): number {
  const superseded = prior === undefined ? 0 : sizeOf(prior);
  return EVENT_OVERHEAD + superseded + (op === 'delete' ? sizeOf(entry) : 0);
}

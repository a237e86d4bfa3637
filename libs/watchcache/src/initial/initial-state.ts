import type { Version } from '@orch/storage';
import { type FrameEncoder, followingOf } from '../fan-out/frames.js';
import type { EventKind } from '../history/change-event.js';
import type { CacheEntry } from '../state/cache-entry.js';
import { owned } from '../state/owned.js';
import type { Evictable } from './initial-budget.js';

/**
 * Bytes of a piece, unless a single object is larger: a client that does not read leaves no more in its connection than
 * it leaves of later events.
 */
const PIECE = 32 << 10;
/** Same for as many readers: they share the pieces that wait in their connections, and each write has a fixed cost. */
const SHARED_PIECE = 128 << 10;
const MANY = 8;
/** Bytes of objects that a piece is made from: making one of which little is shown must not block for long either. */
const MADE_OF = 512 << 10;
/** Bytes of a state beside the list of its objects, and of each object in that list. */
const STATE_OVERHEAD = 1_000;
const REFERENCE = 8;
/** Bytes of a piece beside its own. */
const PIECE_OVERHEAD = 300;
/** Pieces in the connection of a client that does not read. */
const UNREAD_PIECES = 2;

/** Encodes frames, and keeps pieces for other watches. */
export interface InitialStateActions {
  encode(entry: CacheEntry, kind: EventKind, version: Version, encoder: FrameEncoder): Buffer;
  /** Caches a piece until `drop` is called; undefined when there is no room. */
  keep(bytes: number, drop: () => void): Evictable | undefined;
  use(piece: Evictable): void;
  drop(piece: Evictable): void;
}

interface Piece {
  readonly frames: Buffer;
  readonly kept: Evictable;
}

/**
 * The state at one version as `ADDED` frames, encoded piece by piece as the first watcher gets there. A piece is kept
 * for watchers that come soon after; for one that comes later it is encoded again, so that no memory is held for a
 * client that does not read.
 */
export class InitialState {
  /** First entry of each encoded piece, and then that of the next. */
  readonly #starts = [0];
  readonly #pieces = new Map<number, Piece>();
  #whole = true;
  /** Number of reading watchers; updated by the owner. */
  readers = 0;
  /** Bytes of the objects that are larger than a piece, and of the largest of them. */
  #largeBytes = 0;
  #largest = 0;

  constructor(
    /** The version of the state. */
    readonly version: Version,
    /** Cursor of the first event after it. */
    readonly cursor: number,
    /** Monotonic ms. */
    readonly madeAt: number,
    private readonly entries: readonly CacheEntry[],
    private readonly encoder: FrameEncoder,
    private readonly actions: InitialStateActions,
  ) {
    for (const { failure, body } of entries) {
      if (failure !== undefined) this.#whole = false;
      if (body.length <= PIECE) continue;
      this.#largeBytes += body.length;
      this.#largest = Math.max(this.#largest, body.length);
    }
  }

  /** Whether it has no error that ends its readers' streams. Checked before it is read. */
  get whole(): boolean {
    return this.#whole;
  }

  /** Bytes of the list of its objects. The objects belong to the state, and to the ring when they have changed. */
  get listBytes(): number {
    return STATE_OVERHEAD + this.entries.length * REFERENCE;
  }

  /** Maximum bytes that this many watchers hold while they read it, beyond each stream's share of its connection. */
  heldBy(readers: number): number {
    return this.listBytes + Math.min(this.#largeBytes, readers * UNREAD_PIECES * this.#largest);
  }

  /** Returns the piece of a number; undefined behind the last. @throws FailedObjectError, and errors of the encoder */
  piece(number: number): Buffer | undefined {
    const known = this.#pieces.get(number);
    if (known !== undefined) {
      this.actions.use(known.kept);
      return known.frames;
    }
    const start = this.#starts[number];
    if (start === undefined || start >= this.entries.length) return undefined;
    const frames = this.#encode(number, start);
    this.#keep(number, frames);
    return frames;
  }

  /** Returns the events in the piece of this number, once it has been encoded. */
  eventsOf(number: number): number {
    const [start = 0, end = start] = this.#starts.slice(number, number + 2);
    return end - start;
  }

  /** Drops the cached pieces. */
  forget(): void {
    for (const { kept } of [...this.#pieces.values()]) this.actions.drop(kept);
  }

  #keep(number: number, frames: Buffer): void {
    const kept = this.actions.keep(frames.length + PIECE_OVERHEAD, () => this.#pieces.delete(number));
    if (kept !== undefined) this.#pieces.set(number, { frames, kept });
  }

  #encode(number: number, start: number): Buffer {
    const known = this.#starts[number + 1];
    const room = this.readers < MANY ? PIECE : SHARED_PIECE;
    const frames: Buffer[] = [];
    let [bytes, madeOf, next] = [0, 0, start];
    while (next < (known ?? this.entries.length)) {
      const entry = this.entries[next] as CacheEntry;
      if (known === undefined && frames.length > 0 && isFull(entry, bytes, madeOf, room)) break;
      const encoder = next === 0 ? this.encoder : followingOf(this.encoder);
      const frame = this.actions.encode(entry, 'ADDED', entry.version, encoder);
      frames.push(frame);
      bytes += frame.length;
      madeOf += entry.body.length;
      next++;
    }
    if (known === undefined) this.#starts.push(next);
    return frames.length === 1 && frames[0] !== undefined ? frames[0] : owned(Buffer.concat(frames, bytes));
  }
}

/** Whether a piece has no room for an entry, whose frame is estimated from its body by the previous ones. */
function isFull({ failure, body }: CacheEntry, bytes: number, madeOf: number, room: number): boolean {
  // Entries before one that cannot be shown go out first.
  if (failure !== undefined || madeOf >= MADE_OF) return true;
  return bytes + (body.length * bytes) / madeOf > room;
}

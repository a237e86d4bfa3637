import type { Version } from '@orch/storage';
import type { CacheEntry } from './cache-entry.js';
import { encodeEntry, type FrameEncoder, followingOf } from './frames.js';

/** Bytes of one piece, unless a single object is larger. */
const PIECE = 128 << 10;
/** Bytes of objects that one is made of: where little is shown of each, making it is to keep nobody waiting either. */
const MADE_OF = 512 << 10;

/**
 * The state at one version as `ADDED` frames, encoded piece by piece as the first watcher gets there and shared by all
 * that start from it.
 */
export class InitialState {
  readonly #pieces: Buffer[] = [];
  readonly #events: number[] = [];
  #encoded = 0;
  readonly #whole: boolean;
  /** Encoded, but too much for the last piece. */
  #carried: Buffer | undefined;
  /** Watchers that are reading. */
  readers = 0;

  constructor(
    /** The version of the state. */
    readonly version: Version,
    /** Cursor of the first event after it. */
    readonly cursor: number,
    /** Monotonic ms. */
    readonly madeAt: number,
    private readonly entries: readonly CacheEntry[],
    private readonly encoder: FrameEncoder,
  ) {
    this.#whole = entries.every(({ failure }) => failure === undefined);
  }

  /** Whether it has nothing that its readers end with. Looked at before anybody reads it. */
  get whole(): boolean {
    return this.#whole;
  }

  /** The piece of this number; undefined behind the last. @throws FailedObjectError, and what the encoder throws */
  piece(number: number): Buffer | undefined {
    while (this.#pieces.length <= number && this.#encoded < this.entries.length) this.#pieces.push(this.#encode());
    return this.#pieces[number];
  }

  /** Events in the piece of this number, once it is there. */
  eventsOf(number: number): number {
    return this.#events[number] ?? 0;
  }

  #encode(): Buffer {
    const frames: Buffer[] = [];
    let [bytes, madeOf] = [0, 0];
    while (this.#encoded < this.entries.length && madeOf < MADE_OF) {
      const entry = this.entries[this.#encoded] as CacheEntry;
      const encoder = this.#encoded === 0 ? this.encoder : followingOf(this.encoder);
      // What came before it goes out first.
      if (entry.failure && frames.length > 0) break;
      const frame = this.#carried ?? encodeEntry(entry, 'ADDED', entry.version, encoder);
      const full = bytes > 0 && bytes + frame.length > PIECE;
      this.#carried = full ? frame : undefined;
      if (full) break;
      frames.push(frame);
      bytes += frame.length;
      madeOf += entry.body.length;
      this.#encoded++;
    }
    this.#events.push(frames.length);
    return Buffer.concat(frames, bytes);
  }
}

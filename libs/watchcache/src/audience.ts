import type { Version } from '@orch/storage';
import type { FrameEncoder } from './frames.js';
import type { InitialState } from './initial-state.js';
import type { Interest } from './interest.js';
import type { ChangeEvent } from './ring.js';
import type { Watcher } from './watcher.js';

/** All watchers that want the same bytes. What one event is for one of them, it is for all. */
export class Audience {
  /** Watchers that have everything but `pending`. */
  readonly live: Watcher[] = [];
  /** All watchers, live or not. */
  members = 0;
  /** Frames gathered for the live watchers since the last flush. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Monotonic ms at which the oldest pending event came. */
  oldest = 0;
  /** What the observer said of pending events. */
  origins: unknown[] = [];
  lastFlush = Number.NEGATIVE_INFINITY;
  /** Milliseconds that the last flush took. */
  lastFlushTook = 0;
  /** Events that went out with it. */
  lastFlushEvents = 0;
  /** The newest initial state that was made. */
  initial: InitialState | undefined;
  #bookmark: { readonly version: Version; readonly bytes: Buffer } | undefined;

  constructor(
    readonly key: string,
    readonly interest: Interest,
    readonly encoder: FrameEncoder,
  ) {}

  static keyOf({ namespace, selection }: Interest, encoder: FrameEncoder): string {
    return JSON.stringify([encoder.key, namespace ?? null, selection?.key ?? null]);
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get pendingEvents(): number {
    return this.#pending.length;
  }

  gather(frame: Buffer, { at, origin }: ChangeEvent): void {
    if (this.#pending.length === 0) {
      this.oldest = at;
      if (this.origins.length > 0) this.origins = [];
    }
    if (origin !== undefined) this.origins.push(origin);
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
  }

  /** Everything gathered, as one piece; undefined when there is nothing. */
  take(): Buffer | undefined {
    const only = this.#pending.length === 1 ? this.#pending[0] : undefined;
    if (this.#pending.length === 0) return undefined;
    const bytes = only ?? Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes;
  }

  /** A bookmark, made once for the watchers whose turn comes at the same version. */
  bookmark(version: Version): Buffer {
    if (this.#bookmark?.version !== version) {
      this.#bookmark = { version, bytes: this.encoder.bookmark(version, false) };
    }
    return this.#bookmark.bytes;
  }

  join(watcher: Watcher): void {
    watcher.liveIndex = this.live.length;
    this.live.push(watcher);
  }

  leave(watcher: Watcher): void {
    const last = this.live.pop();
    if (last !== undefined && last !== watcher) {
      this.live[watcher.liveIndex] = last;
      last.liveIndex = watcher.liveIndex;
    }
    watcher.liveIndex = -1;
  }
}

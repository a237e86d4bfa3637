import type { ChangeEvent } from '../history/change-event.js';
import type { Audience } from './audience.js';
import type { Watcher, WatcherState } from './watcher.js';

/** Live watchers of an audience at the same position, which are written to in one go. */
export class Cohort {
  /** Watchers that have everything but `pending`. */
  readonly live: Watcher[] = [];
  /** State of its watchers, shared by all of them. */
  readonly state: WatcherState = { at: 'live', cohort: this };
  /** Frames gathered since the last flush, in their pieces. */
  #pending: Buffer[] = [];
  #pendingEvents = 0;
  #pendingBytes = 0;
  /** Monotonic ms of the oldest pending event's arrival. */
  oldest = 0;
  /** Values that the observer returned for pending events. */
  origins: unknown[] = [];

  constructor(readonly audience: Audience) {}

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get pendingEvents(): number {
    return this.#pendingEvents;
  }

  gather(frame: readonly Buffer[], { at, origin }: ChangeEvent): void {
    if (this.#pendingEvents === 0) {
      this.oldest = at;
      if (this.origins.length > 0) this.origins = [];
    }
    if (origin !== undefined) this.origins.push(origin);
    this.#pendingEvents++;
    for (const piece of frame) {
      this.#pending.push(piece);
      this.#pendingBytes += piece.length;
    }
  }

  /** Returns all pending frames: one piece, or the pieces of a single large event; undefined when there are none. */
  take(): readonly Buffer[] | undefined {
    if (this.#pendingEvents === 0) return undefined;
    const pieces = this.#pendingEvents === 1 ? this.#pending : [Buffer.concat(this.#pending, this.#pendingBytes)];
    this.#pending = [];
    this.#pendingEvents = 0;
    this.#pendingBytes = 0;
    return pieces;
  }

  join(watcher: Watcher): void {
    watcher.liveIndex = this.live.length;
    this.live.push(watcher);
    this.audience.live++;
  }

  leave(watcher: Watcher): void {
    const last = this.live.pop();
    if (last !== undefined && last !== watcher) {
      this.live[watcher.liveIndex] = last;
      last.liveIndex = watcher.liveIndex;
    }
    watcher.liveIndex = -1;
    this.audience.live--;
  }
}

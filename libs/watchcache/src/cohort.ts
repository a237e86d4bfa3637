import type { Audience } from './audience.js';
import type { ChangeEvent } from './ring.js';
import type { Watcher, WatcherState } from './watcher.js';

/** Live watchers of an audience that are at the same place in it, and are written to in one go. */
export class Cohort {
  /** Watchers that have everything but `pending`. */
  readonly live: Watcher[] = [];
  /** What its watchers are at, one for all. */
  readonly state: WatcherState = { at: 'live', cohort: this };
  /** Frames gathered since the last flush. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Monotonic ms at which the oldest pending event came. */
  oldest = 0;
  /** What the observer said of pending events. */
  origins: unknown[] = [];

  constructor(readonly audience: Audience) {}

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

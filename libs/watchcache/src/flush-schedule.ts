import type { Clock } from '@orch/feed';
import type { Audience } from './audience.js';

/** Bytes gathered for an audience that are not kept waiting any longer. */
const FULL = 256 << 10;

/**
 * When what an audience has gathered is written. A small audience is served in the next turn of the event loop; a large
 * one, whose flush is costly, at most once a few milliseconds, though an event that comes after a pause waits for nothing.
 */
export class FlushSchedule {
  readonly #dirty = new Set<Audience>();
  #soon = false;
  #timer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly maxGather: number,
    private readonly watchersPerMs: number,
    private readonly flush: (audience: Audience) => void,
  ) {}

  /** The audience has something to write. */
  mark(audience: Audience): void {
    if (audience.pendingBytes >= FULL) {
      this.flush(audience);
      return;
    }
    if (this.#dirty.has(audience)) return;
    this.#dirty.add(audience);
    this.#arm(this.#wait(audience));
  }

  /** The audience has been flushed, or is gone. */
  clear(audience: Audience): void {
    this.#dirty.delete(audience);
  }

  stop(): void {
    this.#timer?.();
    this.#dirty.clear();
  }

  #wait(audience: Audience): number {
    const least = Math.floor(audience.live.length / this.watchersPerMs);
    // As long again as the last flush took: under load half of the time is left for everything else, and what comes in
    // it goes out with one write a watcher.
    const gather = Math.min(this.maxGather, Math.max(least, Math.floor(audience.lastFlushTook)));
    return gather === 0 ? 0 : audience.lastFlush + gather - this.clock.now();
  }

  #arm(wait: number): void {
    if (wait <= 0) {
      if (this.#soon) return;
      this.#soon = true;
      this.clock.soon(() => {
        this.#soon = false;
        this.#flushDue();
      });
    } else {
      this.#timer ??= this.clock.after(wait, () => {
        this.#timer = undefined;
        this.#flushDue();
      });
    }
  }

  #flushDue(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const audience of this.#dirty) {
      const wait = this.#wait(audience);
      if (wait <= 0) this.flush(audience);
      else next = Math.min(next, wait);
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next);
  }
}

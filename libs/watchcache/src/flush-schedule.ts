import type { Clock } from '@orch/feed';
import type { Audience } from './audience.js';

/** Bytes gathered for an audience that are not kept waiting any longer. */
const FULL = 256 << 10;

/** Milliseconds that it takes to take in a change, with what led to it, on the large side. */
const INGESTION = 0.4;

/** What an audience's last flush was, and to how many watchers the next goes. */
export interface Flushed {
  readonly watchers: number;
  /** Milliseconds. */
  readonly took: number;
  readonly events: number;
}

/**
 * Milliseconds between an audience's last flush and its next: half as long again as the last took, which leaves a third of
 * the time for everything else; or as long as it takes to take in as many changes as that brought, up to half of the
 * time. What comes meanwhile goes out together.
 */
export function gatherMs({ watchers, took, events }: Flushed, maxGather: number, watchersPerMs: number): number {
  const least = Math.floor(watchers / watchersPerMs);
  const others = Math.min(took, Math.max(took / 2, INGESTION * events));
  return Math.min(maxGather, Math.max(least, Math.floor(others)));
}

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
    const { live, lastFlushTook: took, lastFlushEvents: events } = audience;
    const gather = gatherMs({ watchers: live.length, took, events }, this.maxGather, this.watchersPerMs);
    return gather === 0 ? 0 : audience.lastFlush + gather - this.clock.now();
  }

  #arm(wait: number): void {
    if (wait <= 0) {
      this.#flushSoon();
      return;
    }
    // What has arrived by then is taken in before, and goes out with the same flush.
    this.#timer ??= this.clock.after(wait, () => {
      this.#timer = undefined;
      this.#flushSoon();
    });
  }

  #flushSoon(): void {
    if (this.#soon) return;
    this.#soon = true;
    this.clock.soon(() => {
      this.#soon = false;
      this.#flushDue();
    });
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

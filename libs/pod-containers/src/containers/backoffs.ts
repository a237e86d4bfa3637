import type { Clock } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';

interface Entry {
  readonly backoff: Backoff;
  /** The present wait, ms. */
  wait: number;
  /** Wall time at which it began, ms. */
  at: number;
}

/** First and longest wait, ms. */
const RANGE = { firstMs: 10_000, longestMs: 300_000 };
/** Time after which failures are forgotten, ms. */
const FORGET_MS = 2 * RANGE.longestMs;

/** Waits by key: 10 s after the first failure, doubled with each up to 5 min, forgotten after 10 min without one. */
export class Backoffs {
  readonly #entries = new Map<string, Entry>();
  #collectedAt: number;

  constructor(private readonly clock: Clock) {
    this.#collectedAt = clock.wall();
  }

  /** Number of keys that are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Returns the wait of a key if it is not over yet; undefined otherwise.
   * @param since wall time at which the wait began, ms; default that of the last {@link next}
   */
  waiting(key: string, since?: number): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const began = since ?? entry.at;
    // One that begins in the future is over as well: the clock was set back.
    const isOver = Math.abs(this.clock.wall() - began) >= entry.wait;
    if (began - entry.at > FORGET_MS || isOver) return undefined;
    return entry.wait;
  }

  /** Milliseconds until the wait of a key is over. */
  left(key: string, since?: number): number {
    const wait = this.waiting(key, since);
    const began = since ?? this.#entries.get(key)?.at ?? 0;
    return wait === undefined ? 0 : began + wait - this.clock.wall();
  }

  /** Begins the next wait of a key. @param since wall time of the event that it follows, ms */
  next(key: string, since = this.clock.wall()): void {
    this.#collect();
    const known = this.#entries.get(key);
    const backoff = known && since - known.at <= FORGET_MS ? known.backoff : new Backoff(RANGE);
    this.#entries.set(key, { backoff, wait: backoff.next(), at: this.clock.wall() });
  }

  /** Forgets keys that had no failure for a long time: those of pods that are gone, above all. */
  #collect(): void {
    const now = this.clock.wall();
    if (now - this.#collectedAt <= FORGET_MS) return;
    this.#collectedAt = now;
    for (const [key, { at }] of this.#entries) if (now - at > FORGET_MS) this.#entries.delete(key);
  }
}

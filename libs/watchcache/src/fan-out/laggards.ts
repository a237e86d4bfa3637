import type { Clock } from '@orch/runtime/clock';
import type { Ring } from '../history/ring.js';
import type { Watcher } from './watcher.js';

/** Milliseconds between checks. */
const CHECK = 1_000;
/** Milliseconds after the last check at which the next is late. */
const LATE = 5_000;

interface LaggardsOptions {
  readonly clock: Clock;
  readonly ring: () => Ring;
  /** Milliseconds for which a stalled stream is kept that reads an initial state or history. */
  readonly maxStall: number;
  readonly expire: (watcher: Watcher) => void;
}

/**
 * Watchers that are not live: those that have stalled and that the ring has passed are ended, even if their sinks never
 * call back.
 */
export class Laggards {
  readonly #watchers = new Set<Watcher>();
  /** Monotonic ms of the last check, and of the last late one: the process had been paused, so no sink was read. */
  #checkedAt = 0;
  #resumedAt = 0;
  #cancel: (() => void) | undefined;

  constructor(private readonly options: LaggardsOptions) {}

  get size(): number {
    return this.#watchers.size;
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
    if (this.#cancel !== undefined) return;
    this.#checkedAt = this.options.clock.now();
    this.#schedule();
  }

  delete(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  stop(): void {
    this.#cancel?.();
  }

  #schedule(): void {
    this.#cancel = this.options.clock.after(CHECK, () => this.#check());
  }

  #check(): void {
    this.#cancel = undefined;
    const { clock, expire } = this.options;
    const ring = this.options.ring();
    const now = clock.now();
    if (now - this.#checkedAt > LATE) this.#resumedAt = now;
    this.#checkedAt = now;
    ring.evict(now);
    for (const watcher of [...this.#watchers]) if (this.#isPassed(watcher, ring, now)) expire(watcher);
    if (this.#watchers.size > 0 && this.#cancel === undefined) this.#schedule();
  }

  #isPassed(watcher: Watcher, ring: Ring, now: number): boolean {
    const { state, blocked } = watcher;
    return (
      (state.at === 'behind' && state.cursor < ring.first && blocked && now - state.since >= CHECK) ||
      (state.at === 'initial' && state.state.cursor < ring.first) ||
      ((state.at === 'initial' || state.at === 'history') && blocked && this.#isStalled(watcher, state, now))
    );
  }

  #isStalled(watcher: Watcher, state: { since: number }, now: number): boolean {
    const { departures } = watcher.sink;
    // A large object may take a slow client longer than the limit for one that does not read.
    if (departures !== watcher.departures) state.since = now;
    watcher.departures = departures;
    return now - Math.max(state.since, this.#resumedAt) > this.options.maxStall;
  }
}

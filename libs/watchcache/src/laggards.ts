import type { Clock } from '@orch/runtime/clock';
import type { Ring } from './ring.js';
import type { Watcher } from './watcher.js';

/** Milliseconds between looks at them. */
const CHECK = 1_000;

export interface LaggardsOptions {
  readonly clock: Clock;
  readonly ring: () => Ring;
  /** Milliseconds for which a stream that reads history and has stalled is kept. */
  readonly maxStall: number;
  readonly expire: (watcher: Watcher) => void;
}

/** Watchers that are not live yet, or no more: those that the ring has passed are ended, also if their sinks never call back. */
export class Laggards {
  readonly #watchers = new Set<Watcher>();
  #cancel: (() => void) | undefined;

  constructor(private readonly options: LaggardsOptions) {}

  get size(): number {
    return this.#watchers.size;
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
    this.#cancel ??= this.options.clock.after(CHECK, () => this.#check());
  }

  delete(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  stop(): void {
    this.#cancel?.();
  }

  #check(): void {
    this.#cancel = undefined;
    const { clock, expire } = this.options;
    const ring = this.options.ring();
    const now = clock.now();
    ring.evict(now);
    for (const watcher of [...this.#watchers]) if (this.#isPassed(watcher, ring, now)) expire(watcher);
    if (this.#watchers.size > 0) this.#cancel ??= clock.after(CHECK, () => this.#check());
  }

  #isPassed({ state, blocked }: Watcher, ring: Ring, now: number): boolean {
    return (
      (state.at === 'behind' && state.cursor < ring.first) ||
      (state.at === 'initial' && state.state.cursor < ring.first) ||
      (state.at === 'history' && blocked && now - state.since > this.options.maxStall)
    );
  }
}

import { type Clock, systemClock } from '@orch/runtime/clock';
import type { ChangeSource, TypeId, Version } from '@orch/storage';
import type { ChangeBus, FeedSink, Following } from './feed.js';
import { Follower, type FollowerContext } from './follower.js';
import { Heads } from './heads.js';
import type { FeedObserver } from './observer.js';

/** Source, bus and settings of a feed; the settings have defaults. */
export interface OrderedFeedOptions {
  /** The authoritative source of changes. Not closed by the feed. */
  readonly source: ChangeSource;
  /** The fast path. Not closed by the feed. */
  readonly bus: ChangeBus;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Milliseconds between reads of the heads of all followed types, in one query. Default 1000. */
  readonly pollInterval?: number;
  /** Milliseconds to wait for a missing predecessor before it is read from the database. Default 5. */
  readonly reorderWait?: number;
  /** Changes read from the database at a time. Default 500. */
  readonly pageSize?: number;
  /** Longest pause, in ms, between attempts to read a failing database. Default 2000. */
  readonly maxBackoff?: number;
  /** Observer for metrics and logs. Default: none. */
  readonly observer?: FeedObserver;
}

/**
 * Turns a bus that may lose, repeat, delay and reorder into one ordered, gap-free sequence per consumer, with the
 * database as the authority: the chain of `previous` versions shows a gap, and a poll of the heads shows a silent bus.
 */
export class OrderedFeed {
  readonly #followers = new Set<Follower>();
  /** Followers with a poll in progress. */
  readonly #polled = new Set<Follower>();
  readonly #context: FollowerContext;
  readonly #bus: ChangeBus;
  readonly #pollInterval: number;
  readonly #stopListening: (() => void)[];
  #cancelPoll: (() => void) | undefined;
  #closed = false;

  constructor(options: OrderedFeedOptions) {
    const clock = options.clock ?? systemClock;
    const observer = options.observer ?? {};
    this.#bus = options.bus;
    this.#pollInterval = options.pollInterval ?? 1000;
    this.#context = {
      source: options.source,
      heads: new Heads(options.source, clock, observer),
      clock,
      observer,
      busHealthy: () => this.#bus.healthy(),
      reorderWait: options.reorderWait ?? 5,
      pageSize: options.pageSize ?? 500,
      maxBackoff: options.maxBackoff ?? 2000,
    };
    this.#stopListening = [
      options.bus.onConnected(() => void this.#poll()),
      options.source.onRewind(() => {
        for (const follower of [...this.#followers]) follower.reset('rewound');
      }),
    ];
  }

  /** Delivers every change of the type after a version, in order, to the sink; no call is made before this one returns. */
  follow(type: TypeId, after: Version, sink: FeedSink): Following {
    if (this.#closed) throw new Error('the feed is closed');
    let unsubscribe = (): void => {};
    const follower = new Follower(type, after, sink, this.#context, (ended) => {
      this.#followers.delete(ended);
      unsubscribe();
    });
    this.#followers.add(follower);
    unsubscribe = this.#bus.subscribe(type, (changes) => follower.announced(changes));
    void follower.poll();
    if (this.#cancelPoll === undefined) this.#schedule();
    return follower;
  }

  /**
   * Milliseconds since the longest-unconfirmed follower of a type in the main database was known to have everything:
   * grows when changes do not arrive and when the database does not answer. Zero when nothing is followed. Another
   * database's failure counts only for its own types.
   */
  lag(): number {
    return this.#lags().at(-1) ?? 0;
  }

  /**
   * Same for the median follower, in ms: at least half of them are no further behind. It shows whether this process is
   * useful: a type whose changes cannot be read affects only its own followers.
   */
  medianLag(): number {
    const lags = this.#lags();
    return lags[(lags.length - 1) >> 1] ?? 0;
  }

  /** Lags, ascending. */
  #lags(): number[] {
    const { clock, source } = this.#context;
    const now = clock.now();
    return [...this.#followers]
      .filter(({ type }) => source.database(type) === 0)
      .map(({ confirmedAt, begunAt }) => now - (confirmedAt ?? begunAt))
      .sort((a, b) => a - b);
  }

  /** Ends all subscriptions, without a call to their sinks; following afterwards throws an Error. */
  close(): void {
    this.#closed = true;
    this.#cancelPoll?.();
    for (const stop of this.#stopListening) stop();
    for (const follower of [...this.#followers]) follower.close();
  }

  #schedule(): void {
    this.#cancelPoll = this.#context.clock.after(this.#pollInterval, () => {
      this.#poll();
      if (this.#closed || this.#followers.size === 0) this.#cancelPoll = undefined;
      else this.#schedule();
    });
  }

  /**
   * All followers poll in the same turn, which makes it one query; except those whose database has not answered yet.
   */
  #poll(): void {
    for (const follower of this.#followers) {
      if (this.#polled.has(follower)) continue;
      this.#polled.add(follower);
      void follower.poll().finally(() => this.#polled.delete(follower));
    }
  }
}

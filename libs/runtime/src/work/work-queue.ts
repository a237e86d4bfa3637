import { type Clock, systemClock } from '../clock.js';
import { Backoff } from './backoff.js';
import { TokenBucket } from './token-bucket.js';

/** Observes a queue, for `workqueue_*` metrics. */
export interface WorkQueueObserver {
  /** A key was queued that was not queued before. */
  added(): void;
  /** Work on a key begins, this many seconds after the key was queued. */
  started(queueSeconds: number): void;
  /** Work on a key has ended after this many seconds. */
  finished(workSeconds: number): void;
  /** A key is tried again after a failure. */
  retried(): void;
}

/** Work of a queue, and how it is done. */
export interface WorkQueueOptions {
  /** Works on a key. A key whose work rejects is tried again with backoff. */
  process(key: string): Promise<void>;
  /** Keys that are worked on at a time. Default 1. */
  readonly workers?: number;
  /** Called with each rejection of `process`, before the key is queued again. */
  readonly onError: (error: unknown, key: string) => void;
  /**
   * First and longest wait before a key is tried again, milliseconds, doubled with each failure. Default 5 and
   * 1,000,000.
   */
  readonly retry?: { readonly firstMs: number; readonly longestMs: number };
  /**
   * Milliseconds from the end of work on a key until it is worked on again at the earliest, so that changes gather.
   * Default 0.
   */
  readonly restMs?: number;
  /** Default: none. */
  readonly observer?: WorkQueueObserver;
  /** Clock for backoff and delays. Default: the machine's time. */
  readonly clock?: Clock;
}

const RETRY = { firstMs: 5, longestMs: 1_000_000 };
/** Retries of all keys together: so many a second, with bursts (the defaults of client-go). */
const RETRIES_PER_SECOND = 10;
const RETRY_BURST = 100;
/** Milliseconds of work on many keys in one turn of the event loop. */
const SLICE_MS = 1;

interface Delayed {
  /** Monotonic milliseconds. */
  readonly at: number;
  /** Whether it holds a token of the rate of retries. */
  readonly isRetry: boolean;
  readonly cancel: () => void;
}

/**
 * A queue of keys with workers: each key is queued once, however often it is added, and worked on by one worker at a
 * time. A key that is added while it is worked on is worked on once more afterwards. Failures are tried again with a
 * backoff for each key and a rate for all of them (as client-go's rate limiting queue).
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #rate: TokenBucket;
  /** Keys that wait for a worker, in order, and the monotonic milliseconds since when. */
  readonly #waiting = new Map<string, number>();
  /** Position in the queue. A new iterator would skip the deleted entries before it anew each time. */
  #line: MapIterator<[string, number]> | undefined;
  /** Monotonic milliseconds after which others have a turn of the event loop before the next key. */
  #sliceEnd = 0;
  /** Keys that are worked on, since when, and whether they were added meanwhile. */
  readonly #active = new Map<string, { readonly since: number; isDirty: boolean }>();
  readonly #delayed = new Map<string, Delayed>();
  /** Keys that rest after work on them, and whether they were added meanwhile. */
  readonly #resting = new Map<string, { isDirty: boolean }>();
  readonly #backoffs = new Map<string, Backoff>();
  #idle: (() => void)[] = [];
  /** Counts the calls of {@link drain}: what began before one is not tried again after it. */
  #drains = 0;
  #stopped = false;

  constructor(private readonly options: WorkQueueOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#rate = new TokenBucket(RETRIES_PER_SECOND, RETRY_BURST, () => this.#clock.now());
  }

  /** Number of keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Seconds that each key has been worked on that is worked on now. */
  get unfinished(): readonly number[] {
    const now = this.#clock.now();
    return [...this.#active.values()].map(({ since }) => (now - since) / 1_000);
  }

  /** Queues a key for the next free worker. */
  add(key: string): void {
    if (this.#stopped) return;
    this.#cancelDelay(key);
    const later = this.#active.get(key) ?? this.#resting.get(key);
    if (later?.isDirty || this.#waiting.has(key)) return;
    this.options.observer?.added();
    if (later) later.isDirty = true;
    else this.#enqueue(key);
  }

  /** Queues a key after `ms`, unless it is due sooner. */
  addAfter(key: string, ms: number): void {
    if (!this.#stopped) this.#delay(key, ms, false);
  }

  /**
   * Forgets all keys that are not worked on, delays and failures included. Resolves when the work under way has ended.
   */
  async drain(): Promise<void> {
    this.#drains++;
    this.#waiting.clear();
    for (const key of [...this.#delayed.keys()]) this.#cancelDelay(key);
    this.#backoffs.clear();
    for (const keys of [this.#active, this.#resting]) for (const key of keys.values()) key.isDirty = false;
    if (this.#active.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Accepts no more keys, and drops those that wait. Resolves when the work in progress has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.drain();
  }

  #enqueue(key: string): void {
    this.#waiting.set(key, this.#clock.now());
    this.#next();
  }

  /** Returns whether the key is queued by this, and not sooner by another. */
  #delay(key: string, ms: number, isRetry: boolean): boolean {
    const at = this.#clock.now() + ms;
    const known = this.#delayed.get(key);
    if (known && known.at <= at) return false;
    this.#cancelDelay(key);
    const cancel = this.#clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, isRetry, cancel });
    return true;
  }

  /** A key that changes while its retry waits would use up the rate of all others. */
  #cancelDelay(key: string): void {
    const delayed = this.#delayed.get(key);
    if (!delayed) return;
    delayed.cancel();
    this.#delayed.delete(key);
    if (delayed.isRetry) this.#rate.giveBack();
  }

  #next(): void {
    const { workers = 1 } = this.options;
    while (this.#active.size < workers) {
      this.#line ??= this.#waiting.entries();
      const next = this.#line.next();
      if (next.done) {
        this.#line = undefined;
        return;
      }
      const [key, since] = next.value;
      this.#waiting.delete(key);
      void this.#work(key, since);
    }
  }

  async #work(key: string, queuedAt: number): Promise<void> {
    const { process, observer } = this.options;
    const since = this.#clock.now();
    const drains = this.#drains;
    const active = { since, isDirty: false };
    this.#active.set(key, active);
    observer?.started((since - queuedAt) / 1_000);
    try {
      await process(key);
      this.#backoffs.delete(key);
    } catch (error) {
      this.options.onError(error, key);
      if (drains === this.#drains) this.#retry(key);
    }
    observer?.finished((this.#clock.now() - since) / 1_000);
    if (this.#waiting.size > 0) await this.#turn();
    this.#active.delete(key);
    this.#rest(key, active.isDirty);
    this.#next();
    if (this.#active.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Lets the key rest, and queues it afterwards if it was added during the work or the rest. */
  #rest(key: string, isDirty: boolean): void {
    const { restMs = 0 } = this.options;
    const resting = { isDirty };
    const end = () => {
      this.#resting.delete(key);
      if (resting.isDirty) this.#enqueue(key);
    };
    if (restMs > 0) {
      this.#resting.set(key, resting);
      this.#clock.after(restMs, end);
    } else end();
  }

  /** Many keys of which each has nothing to wait for would keep all others waiting. */
  #turn(): Promise<void> | undefined {
    if (this.#clock.now() < this.#sliceEnd) return undefined;
    return new Promise((resolve) => {
      this.#clock.soon(() => {
        this.#sliceEnd = this.#clock.now() + SLICE_MS;
        resolve();
      });
    });
  }

  #retry(key: string): void {
    const { observer, retry = RETRY } = this.options;
    const backoff = this.#backoffs.get(key) ?? new Backoff(retry);
    this.#backoffs.set(key, backoff);
    observer?.retried();
    if (this.#stopped) return;
    const wait = Math.max(backoff.next(), this.#rate.reserve());
    if (!this.#delay(key, wait, true)) this.#rate.giveBack();
  }
}

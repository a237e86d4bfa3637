import { BusyStoreError, StoreUnavailableError } from '../face/errors.js';

/** Bounds of a batch and of what waits for one. */
export interface GathererOptions<T> {
  /** Items of a batch at most. */
  readonly items: number;
  /** Bytes of a batch at most; a single larger item goes alone. */
  readonly bytes: number;
  /** Bytes of an item; may be asked more than once for the same one. */
  readonly sizeOf: (item: T) => number;
  /** Items that may wait; more are refused at once. */
  readonly waiting: number;
  /** Milliseconds after which waiting calls fail when a batch finds the database unavailable. Default: never. */
  readonly patience?: number;
  /** When the next batch may begin beside one in progress. Default: one batch at a time, however long it takes. */
  readonly overtaking?: Overtaking;
  /** Wraps the work of a batch; `waited`: milliseconds of each item. Default: just runs it. */
  readonly around?:
    | (<W>(items: readonly T[], waited: readonly number[], work: () => Promise<W>) => Promise<W>)
    | undefined;
}

/** Lets a batch begin beside others that take long. */
export interface Overtaking {
  /** Milliseconds that a batch may take before the next begins beside it. */
  readonly after: number;
  /** Batches in progress at a time, at most. */
  readonly batches: number;
}

interface Entry<T, R> {
  readonly item: T;
  /** Time of arrival, monotonic ms. */
  readonly since: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers calls that arrive while a batch is in progress into the next batch, so that a lone call never waits and many
 * share one round trip. A batch begins after every one of its calls has arrived. One batch is in progress at a time,
 * unless the options allow overtaking.
 */
export class Gatherer<T, R> {
  #queue: Entry<T, R>[] = [];
  /** Start of each batch in progress, monotonic ms, the latest last. */
  readonly #underWay: number[] = [];
  #scheduled = false;
  #overtaking: NodeJS.Timeout | undefined;
  #drained: (() => void)[] = [];

  /**
   * @param run settles every item in order. When it throws anything but StoreUnavailableError it is called again with
   * each half of the items, down to single ones, so that no item fails because of another
   */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
    private readonly options: GathererOptions<T>,
  ) {}

  /**
   * Resolves with the item's result; rejects with its own error, with StoreUnavailableError when its batch failed with
   * one, or at once when too many wait.
   */
  add(item: T): Promise<R> {
    if (this.#queue.length >= this.options.waiting) {
      return Promise.reject(new BusyStoreError());
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, since: performance.now(), resolve, reject });
      if (this.#underWay.length > 0) this.#overtakeLater();
      else if (!this.#scheduled) {
        this.#scheduled = true;
        // A microtask, so that calls of the same turn share a batch.
        queueMicrotask(() => {
          this.#scheduled = false;
          this.#begin();
        });
      }
    });
  }

  /** Whether nothing is in progress or waiting. */
  get idle(): boolean {
    return this.#underWay.length === 0 && this.#queue.length === 0;
  }

  /** Resolves when nothing is in progress or waiting. */
  drained(): Promise<void> {
    return this.idle ? Promise.resolve() : new Promise((resolve) => this.#drained.push(resolve));
  }

  /** Begins a batch, unless there is none or the one in progress has just begun. */
  #begin(): void {
    if (this.#queue.length > 0 && this.#untilNext() <= 0) void this.#carryOut(this.#take());
    if (this.#queue.length > 0) this.#overtakeLater();
    else if (this.idle) for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** Milliseconds until a batch may begin, if none ends before. */
  #untilNext(): number {
    const latest = this.#underWay.at(-1);
    if (latest === undefined) return 0;
    const { after, batches } = this.options.overtaking ?? { after: 0, batches: 1 };
    return this.#underWay.length < batches ? Math.max(0, latest + after - performance.now()) : Number.POSITIVE_INFINITY;
  }

  #overtakeLater(): void {
    if (this.options.overtaking === undefined || this.#overtaking !== undefined) return;
    const pause = this.#untilNext();
    if (pause === Number.POSITIVE_INFINITY) return;
    this.#overtaking = setTimeout(() => {
      this.#overtaking = undefined;
      this.#begin();
    }, pause).unref();
  }

  async #carryOut(batch: readonly Entry<T, R>[]): Promise<void> {
    const began = performance.now();
    this.#underWay.push(began);
    let settlements: readonly (() => void)[];
    try {
      settlements = await this.#settlements(batch, () => this.#observed(batch, began));
    } catch (error) {
      settlements = rejections(batch, error);
      this.#giveUp(error);
    }
    // First, so that callers that resume below find the gatherer idle, if it is.
    this.#underWay.splice(this.#underWay.indexOf(began), 1);
    for (const settle of settlements) settle();
    this.#begin();
  }

  /** Returns callbacks that settle the entries. @throws StoreUnavailableError when the database is unavailable */
  async #settlements(
    batch: readonly Entry<T, R>[],
    work = () => this.run(batch.map(({ item }) => item)),
  ): Promise<readonly (() => void)[]> {
    try {
      const results = await work();
      return batch.map(({ resolve, reject }, i) => {
        const result = results[i];
        return result instanceof Error ? () => reject(result) : () => resolve(result as R);
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      if (batch.length === 1) return rejections(batch, error);
      const half = batch.length >> 1;
      return [...(await this.#settlements(batch.slice(0, half))), ...(await this.#settlements(batch.slice(half)))];
    }
  }

  /** Otherwise each batch would wait for an unavailable database in turn. */
  #giveUp(error: unknown): void {
    const { patience = Number.POSITIVE_INFINITY } = this.options;
    const recent = this.#queue.findIndex(({ since }) => performance.now() - since < patience);
    for (const { reject } of this.#queue.splice(0, recent < 0 ? this.#queue.length : recent)) reject(error);
  }

  #observed(batch: readonly Entry<T, R>[], now: number): Promise<readonly (R | Error)[]> {
    const items = batch.map(({ item }) => item);
    const { around } = this.options;
    if (around === undefined) return this.run(items);
    const waited = batch.map(({ since }) => now - since);
    return around(items, waited, () => this.run(items));
  }

  #take(): Entry<T, R>[] {
    let bytes = 0;
    let count = 0;
    for (const { item } of this.#queue) {
      bytes += this.options.sizeOf(item);
      if (count > 0 && (bytes > this.options.bytes || count >= this.options.items)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }
}

function rejections<T, R>(batch: readonly Entry<T, R>[], error: unknown): (() => void)[] {
  return batch.map((entry) => () => entry.reject(error));
}

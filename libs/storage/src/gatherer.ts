import { StoreUnavailableError } from './store.js';

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
  /** Milliseconds: whoever has waited for longer when a batch finds the database away fails with it. Default: nobody. */
  readonly patience?: number;
  /** Carries out the work of a batch; `waited`: milliseconds of each item. Default: just does it. */
  readonly around?:
    | (<W>(items: readonly T[], waited: readonly number[], work: () => Promise<W>) => Promise<W>)
    | undefined;
}

interface Entry<T, R> {
  readonly item: T;
  /** Monotonic ms of its coming. */
  readonly since: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers calls that arrive while a batch is under way into the next batch: one batch at a time, no timer, so that a lone
 * call never waits and a crowd shares one round trip. A batch begins after every one of its calls has arrived.
 */
export class Gatherer<T, R> {
  #queue: Entry<T, R>[] = [];
  #running = false;
  #drained: (() => void)[] = [];

  /** @param run settles every item in order; what it throws goes to all of them */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
    private readonly options: GathererOptions<T>,
  ) {}

  /**
   * Resolves with what came of the item; rejects with its own error, with that of its batch, or at once with
   * StoreUnavailableError when too many wait.
   */
  add(item: T): Promise<R> {
    if (this.#queue.length >= this.options.waiting) {
      return Promise.reject(new StoreUnavailableError('too many requests wait for the database', false));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, since: performance.now(), resolve, reject });
      if (!this.#running) {
        this.#running = true;
        // A microtask, so that calls of the same turn travel together.
        queueMicrotask(() => void this.#loop());
      }
    });
  }

  /** Nothing is under way or waiting. */
  get idle(): boolean {
    return !this.#running;
  }

  /** Resolves when nothing is under way or waiting. */
  drained(): Promise<void> {
    return this.#running ? new Promise((resolve) => this.#drained.push(resolve)) : Promise.resolve();
  }

  async #loop(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#take();
      try {
        const results = await this.#carryOut(batch);
        batch.forEach((entry, i) => {
          const result = results[i];
          if (result instanceof Error) entry.reject(result);
          else entry.resolve(result as R);
        });
      } catch (error) {
        for (const entry of batch) entry.reject(error);
        if (error instanceof StoreUnavailableError) this.#giveUp(error);
      }
    }
    this.#running = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  /** Batch by batch a database that is away would be waited for once for each. */
  #giveUp(error: StoreUnavailableError): void {
    const { patience = Number.POSITIVE_INFINITY } = this.options;
    const recent = this.#queue.findIndex(({ since }) => performance.now() - since < patience);
    for (const { reject } of this.#queue.splice(0, recent < 0 ? this.#queue.length : recent)) reject(error);
  }

  #carryOut(batch: readonly Entry<T, R>[]): Promise<readonly (R | Error)[]> {
    const items = batch.map(({ item }) => item);
    const { around } = this.options;
    if (around === undefined) return this.run(items);
    const now = performance.now();
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

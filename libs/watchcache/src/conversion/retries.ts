import type { Clock } from '@orch/runtime/clock';
import { Backoff } from '@orch/runtime/work';
import type { TypeId } from '@orch/storage';
import type { CacheEntry } from '../state/cache-entry.js';
import type { BodyConversion } from './body-conversion.js';

interface RetriesOptions {
  readonly type: TypeId;
  readonly conversion: BodyConversion;
  readonly clock: Clock;
  /** Whether a state is still the current one of its object. */
  readonly isCurrent: (entry: CacheEntry) => boolean;
  /** Called for each object that could be converted after all. */
  readonly onMade: (entry: CacheEntry, body: Buffer) => void;
  /** Called with the error that kept all of them from being tried. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Milliseconds between two tries: shorter at first, and for many, so that each is tried about this often. */
const PAUSE = { firstMs: 500, longestMs: 5_000 };
const MIN_PAUSE_OF_MANY = 100;
const ROUND = 60_000;
/** Maximum number per call, as long as nothing fails. */
const MAX_TRIED = 64;

/** Retries failed conversions now and then. One that fails again goes to the end of the queue. */
export class Retries {
  /** Queue by object, so that one that changes all the time is in it once. */
  readonly #line = new Map<string, CacheEntry>();
  readonly #backoff = new Backoff(PAUSE);
  #running = false;
  #closed = false;

  constructor(private readonly options: RetriesOptions) {}

  /** Number of objects that wait for another try. */
  get size(): number {
    return this.#line.size;
  }

  /** Adds a state, which replaces an earlier one of its object. */
  add(entry: CacheEntry): void {
    this.#line.set(nameOf(entry), entry);
    this.#backoff.reset();
    if (!this.#running) void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#line.clear();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#running = true;
    while (this.#line.size > 0) {
      await this.#rest();
      try {
        await this.#round();
      } catch (error) {
        this.options.onError?.(error);
      }
    }
    this.#running = false;
  }

  #rest(): Promise<void> {
    const most = Math.max(MIN_PAUSE_OF_MANY, ROUND / this.#line.size);
    const pause = Math.min(this.#backoff.next(), most);
    return new Promise((resolve) => {
      this.options.clock.after(pause, resolve);
    });
  }

  /** Retries one object, and twice as many each time until one fails again. */
  async #round(): Promise<void> {
    const { type, conversion, onMade } = this.options;
    for (let size = 1; ; size = Math.min(2 * size, MAX_TRIED)) {
      const tried = this.#next(size);
      if (tried.length === 0) return;
      const made = await conversion.convert(type, tried).catch((error: unknown) => {
        this.#addAgain(tried);
        throw error;
      });
      if (this.#closed) return;
      const failed = tried.filter((entry, i) => {
        const body = made[i];
        if (body instanceof Buffer) onMade(entry, body);
        return !(body instanceof Buffer);
      });
      this.#addAgain(failed);
      if (failed.length > 0) return;
    }
  }

  /** Adds entries at the end of the queue, except those whose objects have changed meanwhile. */
  #addAgain(entries: readonly CacheEntry[]): void {
    if (this.#closed) return;
    for (const entry of entries) {
      const name = nameOf(entry);
      if (!this.#line.has(name)) this.#line.set(name, entry);
    }
  }

  /** Takes the first of the queue, without those whose objects have changed since. */
  #next(size: number): CacheEntry[] {
    const next: CacheEntry[] = [];
    for (const [name, entry] of this.#line) {
      if (next.length === size) break;
      this.#line.delete(name);
      if (this.options.isCurrent(entry)) next.push(entry);
    }
    return next;
  }
}

const nameOf = ({ namespace, name }: CacheEntry): string => `${namespace}/${name}`;

import type { Clock } from '@orch/runtime/clock';
import type { TypeId } from '@orch/storage';
import type { CacheEntry } from '../cache-entry.js';
import type { BodyConversion } from './body-conversion.js';

export interface RetriesOptions {
  readonly type: TypeId;
  readonly conversion: BodyConversion;
  readonly clock: Clock;
  /** Whether a state is still that of its object. */
  readonly isCurrent: (entry: CacheEntry) => boolean;
  /** Hears of each that could be made after all. */
  readonly onMade: (entry: CacheEntry, body: Buffer) => void;
  /** Hears of whatever kept all of them from being tried. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Milliseconds between two tries: shorter at first, and where there are many, but each has its turn about so often. */
const MIN_PAUSE = 500;
const MAX_PAUSE = 5_000;
const MIN_PAUSE_OF_MANY = 100;
const ROUND = 60_000;
/** Tried with one call, at most, as long as nothing fails. */
const MAX_TRIED = 64;

/** Asks now and then for the states that a conversion could not make. One that fails again goes to the end of the line. */
export class Retries {
  #line: CacheEntry[] = [];
  #pause = MIN_PAUSE;
  #running = false;
  #closed = false;

  constructor(private readonly options: RetriesOptions) {}

  add(entry: CacheEntry): void {
    this.#line.push(entry);
    this.#pause = MIN_PAUSE;
    if (!this.#running) void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#line = [];
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#running = true;
    while (this.#line.length > 0) {
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
    const most = Math.max(MIN_PAUSE_OF_MANY, ROUND / this.#line.length);
    const pause = Math.min(this.#pause, MAX_PAUSE, most);
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE);
    return new Promise((resolve) => {
      this.options.clock.after(pause, resolve);
    });
  }

  /** One, and as long as nothing fails twice as many each time. */
  async #round(): Promise<void> {
    const { type, conversion, onMade } = this.options;
    for (let size = 1; ; size = Math.min(2 * size, MAX_TRIED)) {
      const tried = this.#next(size);
      if (tried.length === 0) return;
      const made = await conversion.convert(type, tried).catch((error: unknown) => {
        this.#line.push(...tried);
        throw error;
      });
      if (this.#closed) return;
      const failed = tried.filter((entry, i) => {
        const body = made[i];
        if (body instanceof Buffer) onMade(entry, body);
        return !(body instanceof Buffer);
      });
      this.#line.push(...failed);
      if (failed.length > 0) return;
    }
  }

  /** The first of the line, without those whose objects have changed since. */
  #next(size: number): CacheEntry[] {
    const next: CacheEntry[] = [];
    let looked = 0;
    for (const entry of this.#line) {
      if (next.length === size) break;
      looked++;
      if (this.options.isCurrent(entry)) next.push(entry);
    }
    this.#line.splice(0, looked);
    return next;
  }
}

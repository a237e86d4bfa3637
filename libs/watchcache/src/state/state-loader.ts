import type { Clock } from '@orch/runtime/clock';
import { Backoff } from '@orch/runtime/work';
import type { TypeId, Version } from '@orch/storage';
import type { ServedSource } from '../conversion/converted-source.js';
import type { Describe } from './attributes.js';
import { type CacheEntry, entryOf } from './cache-entry.js';

/** Waits between attempts to load, milliseconds. */
const RETRY = { firstMs: 100, longestMs: 5_000 };

/** The objects of a type at one version, in key order. */
export interface LoadedState {
  readonly version: Version;
  readonly entries: readonly CacheEntry[];
}

interface StateLoaderOptions {
  readonly source: ServedSource;
  readonly type: TypeId;
  readonly describe: Describe;
  readonly clock: Clock;
  /** Called when loading fails; the loader keeps trying. */
  readonly onError: ((error: unknown) => void) | undefined;
}

/** Reads the whole state of a type from the database, retrying until it succeeds. */
export class StateLoader {
  /** Snapshots that were begun. */
  snapshots = 0;
  /** Error of the last attempt. */
  failure: unknown;
  #closed = false;

  constructor(private readonly options: StateLoaderOptions) {}

  /** Loads the state and passes it to `take`, unless closed meanwhile; loads again when that fails. Never rejects. */
  async load(take: (loaded: LoadedState) => void): Promise<void> {
    const backoff = new Backoff(RETRY);
    while (!this.#closed) {
      try {
        const loaded = await this.#snapshot();
        this.failure = undefined;
        if (!this.#closed) take(loaded);
        return;
      } catch (error) {
        this.failure = error;
        this.options.onError?.(error);
        await new Promise<void>((resolve) => {
          this.options.clock.after(backoff.next(), resolve);
        });
      }
    }
  }

  close(): void {
    this.#closed = true;
  }

  async #snapshot(): Promise<LoadedState> {
    const { source, type, describe } = this.options;
    this.snapshots++;
    const { version, pages } = await source.snapshot({ type });
    const entries: CacheEntry[] = [];
    for await (const page of pages) {
      for (const row of page) entries.push(entryOf(row, describe));
      if (this.#closed) break;
    }
    return { version, entries };
  }
}

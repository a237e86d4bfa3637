import type { ApiObject } from '@orch/machinery';
import { type Indexers, SharedIndexInformer } from '@orch/runtime/informers';
import type { Client } from '../client.js';
import type { ResourceRef } from '../paths.js';
import { timerSleep } from '../sleep.js';
import { HttpReflector, type InformerSettings, type InformerStats } from './http-reflector.js';

interface Indexed<T> {
  /** Indexes of `byIndex`. Default: none. */
  readonly indexers?: Indexers<T>;
}

/** Informer over a collection of an API server: lists it, then watches its changes, for ever. */
export class Informer<T extends ApiObject> extends SharedIndexInformer<T> {
  /** Resolves when the whole state is cached for the first time; rejects when the informer is stopped before. */
  readonly synced: Promise<void>;
  readonly #reflector: HttpReflector<T>;
  #settle: { resolve(): void; reject(error: Error): void } = { resolve() {}, reject() {} };

  constructor(
    client: Client,
    ref: ResourceRef,
    private readonly settings: InformerSettings & Indexed<T> = {},
  ) {
    super(settings.indexers);
    this.#reflector = new HttpReflector(client, ref, settings);
    this.synced = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Avoids an unhandled rejection when the caller does not wait for it.
    this.synced.catch(() => {});
  }

  /** Counters since the start. */
  get stats(): InformerStats {
    return this.#reflector.stats;
  }

  /** Version up to which changes are applied. */
  get version(): string {
    return this.#reflector.version;
  }

  /** Starts to list and to watch; further calls do nothing. */
  start(): void {
    const { onError = () => {}, sleep = timerSleep, random = Math.random } = this.settings;
    const retry = { firstMs: 500, longestMs: 30_000, random };
    void this.run(this.#reflector, { onError, retry, sleep }).then(() => {
      if (this.hasSynced) this.#settle.resolve();
    });
  }

  /** Stops, and resolves when nothing is in flight any more. */
  override async stop(): Promise<void> {
    await super.stop();
    this.#settle.reject(new Error('the informer was stopped'));
  }
}

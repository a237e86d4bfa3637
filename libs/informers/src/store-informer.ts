import { sleep, systemClock } from '@orch/runtime';
import { type Indexers, SharedIndexInformer } from '@orch/runtime/informers';
import type { UnreadableBodyError, Version } from '@orch/storage';
import { StoreReflector, type StoreReflectorOptions } from './store-reflector.js';

/** Options of a {@link StoreInformer}. */
export interface StoreInformerOptions<T> extends StoreReflectorOptions<T> {
  /** Indexes. Default: none. */
  readonly indexers?: Indexers<T>;
}

/** Waits until a list that failed is tried again, milliseconds. */
const RETRY = { firstMs: 100, longestMs: 5_000 };

/** Informer over the objects of one type in the store of this process. */
export class StoreInformer<T> extends SharedIndexInformer<T> {
  readonly #reflector: StoreReflector<T>;

  constructor(private readonly options: StoreInformerOptions<T>) {
    super(options.indexers);
    this.#reflector = new StoreReflector(options);
  }

  /** Errors of the existing objects that cannot be opened, by key. */
  get unreadable(): ReadonlyMap<string, UnreadableBodyError> {
    return this.#reflector.unreadable;
  }

  /** Version of the cached state; undefined before it is first listed. */
  get version(): Version | undefined {
    return this.#reflector.version;
  }

  /**
   * Time at which the objects were last known to be complete, monotonic milliseconds; undefined while they are being
   * listed, or received changes have not been applied.
   */
  get confirmedAt(): number | undefined {
    return this.#reflector.confirmedAt;
  }

  /**
   * Lists and watches. Resolves once all objects that can be opened are listed, however long that takes, or it is
   * stopped.
   */
  start(): Promise<void> {
    return this.run(this.#reflector, informerSettings(this.options));
  }

  /**
   * Waits until everything that was committed before the call is applied, and resolves with that version.
   * @throws StoreUnavailableError; FollowingEndedError when it is stopped
   */
  override confirm(): Promise<Version> {
    return this.#reflector.confirm();
  }
}

/** Returns how an informer over the store is run. */
export const informerSettings = ({
  onError,
  clock = systemClock,
}: Pick<StoreReflectorOptions<never>, 'onError' | 'clock'>) => ({
  onError,
  retry: RETRY,
  sleep: (ms: number, signal: AbortSignal) => sleep(clock, ms, signal),
});

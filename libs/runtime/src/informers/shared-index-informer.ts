import { sleep, systemClock } from '../clock.js';
import { Backoff, type BackoffSettings } from '../work/backoff.js';
import { Indexer } from './indexer.js';
import type {
  ChangedKeys,
  Indexers,
  InformerHandlers,
  ObjectState,
  Reflector,
  ReflectorTarget,
  SharedInformer,
} from './informer.js';

/** How a {@link SharedIndexInformer} runs a reflector. */
interface ReflectorSettings {
  /** Called with every failure, which is tried again, and with errors of handlers. */
  readonly onError: (error: unknown) => void;
  /** Waits after failures. */
  readonly retry: BackoffSettings;
  /** Implementation of waits. Default: the machine's time. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const DELETED = { op: 'delete' } as const;

/**
 * Informer with indexes over any source: lists and watches by a reflector, lists again after a gap, and tells its
 * subscribers what has changed.
 */
export class SharedIndexInformer<T> implements SharedInformer<T> {
  readonly #indexer: Indexer<T>;
  readonly #listeners = new Set<(changed: ChangedKeys) => void>();
  readonly #handlers = new Set<InformerHandlers<T>>();
  readonly #abort = new AbortController();
  #settings: ReflectorSettings | undefined;
  #reflector: Reflector<T> | undefined;
  #running: Promise<void> | undefined;
  #backoff: Backoff | undefined;
  #hasSynced = false;
  #onSynced = (): void => undefined;
  readonly #synced = new Promise<void>((resolve) => {
    this.#onSynced = resolve;
  });

  /** @param indexers indexes of {@link byIndex} */
  constructor(indexers: Indexers<T> = {}) {
    this.#indexer = new Indexer(indexers);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Objects by key; changes in place. */
  get objects(): ReadonlyMap<string, T> {
    return this.#indexer.objects;
  }

  get size(): number {
    return this.#indexer.size;
  }

  get(key: string): T | undefined {
    return this.#indexer.get(key);
  }

  has(key: string): boolean {
    return this.#indexer.has(key);
  }

  keys(): Iterable<string> {
    return this.#indexer.keys();
  }

  list(): Iterable<T> {
    return this.#indexer.list();
  }

  byIndex(index: string, value: string): Iterable<T> {
    return this.#indexer.byIndex(index, value);
  }

  onChange(listener: (changed: ChangedKeys) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  subscribe(handlers: InformerHandlers<T>): () => void {
    for (const object of this.#indexer.list()) this.#call(() => handlers.added?.(object));
    this.#handlers.add(handlers);
    return () => this.#handlers.delete(handlers);
  }

  /** @throws Error before it runs */
  confirm(): Promise<unknown> {
    if (!this.#reflector) return Promise.reject(new Error('the informer does not run'));
    return this.#reflector.confirm();
  }

  /**
   * Lists and watches until it is stopped; further calls change nothing. Resolves when all objects have been listed
   * once, or it is stopped.
   */
  run(reflector: Reflector<T>, settings: ReflectorSettings): Promise<void> {
    if (this.#running === undefined) {
      this.#reflector = reflector;
      this.#settings = settings;
      this.#running = this.#run(reflector, settings).finally(() => this.#onSynced());
    }
    return this.#synced;
  }

  /** Stops watching; the objects stay as they are. Resolves when nothing is in flight any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(reflector: Reflector<T>, settings: ReflectorSettings): Promise<void> {
    const { onError, retry, sleep: wait = (ms, by) => sleep(systemClock, ms, by) } = settings;
    const { signal } = this.#abort;
    const target = this.#target();
    const backoff = new Backoff(retry);
    this.#backoff = backoff;
    while (!signal.aborted) {
      try {
        await reflector.listAndWatch(target, signal);
        backoff.reset();
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
        await wait(Math.max(reflector.retryAfterMs?.(error) ?? 0, backoff.next()), signal);
      }
    }
  }

  #target(): ReflectorTarget<T> {
    const indexer = this.#indexer;
    return {
      get size() {
        return indexer.size;
      },
      get: (key) => indexer.get(key),
      has: (key) => indexer.has(key),
      keys: () => indexer.keys(),
      list: () => indexer.list(),
      byIndex: (index, value) => indexer.byIndex(index, value),
      replace: (objects, more) => this.#replace(objects, more),
      apply: (changes) => this.#apply(changes),
    };
  }

  #replace(objects: ReadonlyMap<string, T>, more: Iterable<string> = []): void {
    const changed = new Set([...this.#indexer.keys(), ...objects.keys(), ...more]);
    for (const key of [...this.#indexer.keys()]) if (!objects.has(key)) this.#change(key, DELETED, true);
    for (const [key, object] of objects) this.#change(key, { op: 'set', object }, true);
    this.#hasSynced = true;
    this.#onSynced();
    this.#notify(changed);
  }

  #apply(changes: ReadonlyMap<string, ObjectState<T>>): void {
    this.#backoff?.reset();
    if (changes.size === 0) return;
    for (const [key, state] of changes) this.#change(key, state, false);
    this.#notify(new Set(changes.keys()));
  }

  #change(key: string, state: ObjectState<T>, missed: boolean): void {
    const has = this.#indexer.has(key);
    const before = this.#indexer.get(key) as T;
    if (state.op === 'delete') {
      if (!has) return;
      this.#indexer.delete(key);
      this.#handle((handlers) => handlers.deleted?.(state.last ?? before, missed));
    } else if (!has || before !== state.object) {
      this.#indexer.set(key, state.object);
      this.#handle((handlers) => (has ? handlers.updated?.(before, state.object) : handlers.added?.(state.object)));
    }
  }

  #handle(event: (handlers: InformerHandlers<T>) => void): void {
    for (const handlers of [...this.#handlers]) this.#call(() => event(handlers));
  }

  #notify(changed: ChangedKeys): void {
    for (const listener of [...this.#listeners]) this.#call(() => listener(changed));
  }

  /** Errors of subscribers must not stop the updates. */
  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#settings?.onError(error);
    }
  }
}

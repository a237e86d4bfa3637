import { type Indexers, type ReflectorTarget, SharedIndexInformer } from '../informers/index.js';

/** Informer over objects that a test puts in by hand. */
export class ManualInformer<T> extends SharedIndexInformer<T> {
  readonly #target: ReflectorTarget<T>;

  constructor(objects: Iterable<readonly [string, T]> = [], indexers: Indexers<T> = {}) {
    super(indexers);
    let target: ReflectorTarget<T> | undefined;
    void this.run(
      {
        listAndWatch(to, signal) {
          target = to;
          to.replace(new Map(objects));
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        confirm: async () => undefined,
      },
      {
        onError(error) {
          throw error;
        },
        retry: { firstMs: 1, longestMs: 1 },
      },
    );
    if (!target) throw new Error('it has not been run');
    this.#target = target;
  }

  /** Adds or replaces an object. */
  put(key: string, object: T): void {
    this.#target.apply(new Map([[key, { op: 'set', object }]]));
  }

  /** Deletes an object. */
  remove(key: string): void {
    this.#target.apply(new Map([[key, { op: 'delete' }]]));
  }
}

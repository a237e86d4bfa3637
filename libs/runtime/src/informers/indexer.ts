import type { Indexers, Lister } from './informer.js';

type Index<T> = Map<string, Map<string, T>>;

/** Objects by key, with indexes. */
export class Indexer<T> implements Lister<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: ReadonlyMap<string, Index<T>>;

  constructor(private readonly indexers: Indexers<T> = {}) {
    this.#indexes = new Map(Object.keys(indexers).map((name) => [name, new Map()]));
  }

  /** Objects by key; changes in place. */
  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  list(): Iterable<T> {
    return this.#objects.values();
  }

  byIndex(index: string, value: string): Iterable<T> {
    const held = this.#indexes.get(index);
    if (!held) throw new RangeError(`there is no index ${index}`);
    return held.get(value)?.values() ?? [];
  }

  /** Adds or replaces an object. */
  set(key: string, object: T): void {
    if (this.#indexes.size > 0) this.#unindex(key);
    this.#objects.set(key, object);
    for (const [name, index] of this.#indexes) {
      for (const value of this.indexers[name]?.(object, key) ?? []) {
        const held = index.get(value) ?? new Map<string, T>();
        index.set(value, held.set(key, object));
      }
    }
  }

  /** Removes an object, if it is there. */
  delete(key: string): void {
    if (this.#indexes.size > 0) this.#unindex(key);
    this.#objects.delete(key);
  }

  #unindex(key: string): void {
    if (!this.#objects.has(key)) return;
    const object = this.#objects.get(key) as T;
    for (const [name, index] of this.#indexes) {
      for (const value of this.indexers[name]?.(object, key) ?? []) {
        const held = index.get(value);
        held?.delete(key);
        if (held?.size === 0) index.delete(value);
      }
    }
  }
}

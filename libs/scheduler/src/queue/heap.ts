/** A heap of entries with identities: the first by an order, and removal of any. */
export class Heap<T> {
  readonly #entries: T[] = [];
  readonly #positions = new Map<string, number>();

  /**
   * @param idOf identity of an entry
   * @param compare negative where the first entry comes first
   */
  constructor(
    private readonly idOf: (entry: T) => string,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  /** Number of entries. */
  get size(): number {
    return this.#entries.length;
  }

  /** The first entry. */
  get first(): T | undefined {
    return this.#entries[0];
  }

  /** Returns the entry of an identity. */
  get(id: string): T | undefined {
    const at = this.#positions.get(id);
    return at === undefined ? undefined : this.#entries[at];
  }

  /** Adds an entry, or replaces the one of its identity. */
  set(entry: T): void {
    const at = this.#positions.get(this.idOf(entry)) ?? this.#entries.length;
    this.#put(entry, at);
    this.#settle(at);
  }

  /** Removes and returns the first entry. */
  pop(): T | undefined {
    const { first } = this;
    if (first !== undefined) this.delete(this.idOf(first));
    return first;
  }

  /** Removes the entry of an identity. @returns whether there was one */
  delete(id: string): boolean {
    const at = this.#positions.get(id);
    if (at === undefined) return false;
    this.#positions.delete(id);
    const last = this.#entries.pop() as T;
    if (at < this.#entries.length) {
      this.#put(last, at);
      this.#settle(at);
    }
    return true;
  }

  #put(entry: T, at: number): void {
    this.#entries[at] = entry;
    this.#positions.set(this.idOf(entry), at);
  }

  #settle(at: number): void {
    this.#sink(this.#rise(at));
  }

  #rise(from: number): number {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapsIfLess(at, parent)) break;
      at = parent;
    }
    return at;
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = this.#isLess(right, left) ? right : left;
      if (least >= this.#entries.length || !this.#swapsIfLess(least, at)) return;
      at = least;
    }
  }

  #isLess(a: number, b: number): boolean {
    if (a >= this.#entries.length) return false;
    return this.compare(this.#entries[a] as T, this.#entries[b] as T) < 0;
  }

  #swapsIfLess(lower: number, upper: number): boolean {
    if (!this.#isLess(lower, upper)) return false;
    const [a, b] = [this.#entries[lower] as T, this.#entries[upper] as T];
    this.#put(a, upper);
    this.#put(b, lower);
    return true;
  }
}

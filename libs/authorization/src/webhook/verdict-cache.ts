/** Verdicts that are good for a while; of so many at most, the one that was asked for longest ago goes first. */
export class VerdictCache<V> {
  /** In the order in which they were asked for last. */
  readonly #kept = new Map<string, { readonly verdict: V; readonly until: number }>();

  /** @param now monotonic milliseconds */
  constructor(
    private readonly most: number,
    private readonly now: () => number,
  ) {}

  /** Undefined where none is known, or it is too old. */
  get(key: string): V | undefined {
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    if (found.until <= this.now()) return undefined;
    this.#kept.set(key, found);
    return found.verdict;
  }

  /** Keeps a verdict for so many milliseconds. */
  put(key: string, verdict: V, ms: number): void {
    this.#kept.delete(key);
    if (ms <= 0) return;
    this.#kept.set(key, { verdict, until: this.now() + ms });
    if (this.#kept.size <= this.most) return;
    for (const [oldest] of this.#kept) {
      this.#kept.delete(oldest);
      return;
    }
  }
}

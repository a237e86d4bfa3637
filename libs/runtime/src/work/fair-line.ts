/** Queue that is fair among users: each has a line, and the lines are served in turn. */
export class FairLine<T> {
  /** In the order of their turns. */
  readonly #lines = new Map<string, T[]>();
  #length = 0;

  /** Number of items that wait. */
  get length(): number {
    return this.#length;
  }

  /** Number of items of one user that wait. */
  of(who: string): number {
    return this.#lines.get(who)?.length ?? 0;
  }

  /** Appends an item to the line of one user. */
  add(who: string, item: T): void {
    const line = this.#lines.get(who);
    if (line) line.push(item);
    else this.#lines.set(who, [item]);
    this.#length++;
  }

  /**
   * Removes and returns the first item of the next user in turn, who is then moved behind all others; undefined where
   * none waits.
   */
  next(): T | undefined {
    for (const [who, line] of this.#lines) {
      const item = line.shift();
      this.#lines.delete(who);
      if (line.length > 0) this.#lines.set(who, line);
      this.#length--;
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items that satisfy a condition. */
  remove(gone: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const [who, line] of this.#lines) {
      const kept = line.filter((item) => !gone(item));
      if (kept.length === line.length) continue;
      removed.push(...line.filter(gone));
      if (kept.length > 0) this.#lines.set(who, kept);
      else this.#lines.delete(who);
    }
    this.#length -= removed.length;
    return removed;
  }
}

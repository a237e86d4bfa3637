/** Has those who want the same thing have it one after another, in the order of their coming. */
export class TurnsByKey {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once everything that came before it under the same key is over, whatever became of that. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const own = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const over = own.catch(() => undefined);
    this.#last.set(key, over);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }
}

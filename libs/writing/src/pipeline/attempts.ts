/** A write that is retried whenever another write has overtaken it. */
export interface Attempts<T> {
  /** Most attempts that are made. */
  readonly most: number;
  /**
   * Makes an attempt, based on what is stored by then.
   * @returns undefined when it was overtaken, and nothing was written
   */
  attempt(): Promise<T | undefined>;
  /** Returns or throws what results when the last attempt was overtaken as well. */
  overtaken(): T;
}

/**
 * Makes attempts until one is not overtaken; all writes are made by it.
 * @throws what an attempt throws: it is the last
 */
export async function untilNotOvertaken<T>(attempts: Attempts<T>): Promise<T> {
  for (let left = attempts.most; left > 0; left--) {
    const result = await attempts.attempt();
    if (result !== undefined) return result;
  }
  return attempts.overtaken();
}

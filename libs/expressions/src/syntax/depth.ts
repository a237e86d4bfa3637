/** How deep the reference's parser nests one rule of its grammar, and how deep it walks what it read. */
export const DEEPEST = 250;

/** Thrown where an expression nests deeper than the reference reads. */
export class TooDeepError extends Error {}

/**
 * Counts the open rules of the grammar of one kind each, as the reference's parser does: left-recursive rules once for
 * each operator as well.
 */
export class OpenRules {
  #open = 0;

  /** @throws TooDeepError */
  enter(): void {
    this.#open++;
    if (this.#open >= DEEPEST) throw new TooDeepError(`expression recursion limit exceeded: ${DEEPEST}`);
  }

  leave(count: number): void {
    this.#open -= count;
  }
}

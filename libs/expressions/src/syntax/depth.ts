/** Limit of the nesting of one grammar rule in the reference's parser, and of its recursion over the result. */
export const DEEPEST = 250;

/** Thrown when an expression nests deeper than the reference allows. */
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

/** State of the second round of mutating plugins for one write, kept by the implementation of {@link Attributes}. */
export class Reinvocation {
  #asked = false;
  #begun = false;

  /** Value of {@link Attributes.isReinvocation}. */
  get isReinvocation(): boolean {
    return this.#begun;
  }

  /** Implements {@link Attributes.reinvoke}. */
  ask(): void {
    this.#asked = true;
  }

  /** Begins the second round if it was asked for. @returns whether it begins; true at most once */
  begin(): boolean {
    if (!this.#asked || this.#begun) return false;
    this.#begun = true;
    return true;
  }
}

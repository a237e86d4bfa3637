/** Whether plugins that may change an object are asked a second time about a write: what whoever makes {@link Attributes} keeps of it. */
export class Reinvocation {
  #asked = false;
  #begun = false;

  /** What {@link Attributes.isReinvocation} says. */
  get isReinvocation(): boolean {
    return this.#begun;
  }

  /** What {@link Attributes.reinvoke} does. */
  ask(): void {
    this.#asked = true;
  }

  /** @returns whether the second round is to begin; never twice */
  begin(): boolean {
    if (!this.#asked || this.#begun) return false;
    this.#begun = true;
    return true;
  }
}

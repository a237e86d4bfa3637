/** A tag of a page that is read as its characters come: each of them is looked at once. */
export class OpenTag {
  readonly #pieces: string[] = [];
  #quote = '';
  #last = '';
  #length = 0;
  #isWhole = false;

  /** Whether the end of the tag has come. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Characters of the tag so far. */
  get length(): number {
    return this.#length;
  }

  /** Text of the tag so far. */
  get text(): string {
    return this.#pieces.join('');
  }

  /**
   * Takes the characters of a text from a position on, up to the end of the tag; quoted values are taken whole.
   * @returns the position behind what was taken
   */
  take(text: string, from: number): number {
    let at = from;
    while (at < text.length && !this.#isWhole) this.#read(text[at++] as string);
    this.#pieces.push(text.slice(from, at));
    this.#length += at - from;
    return at;
  }

  #read(char: string): void {
    if (this.#quote) {
      if (char === this.#quote) this.#quote = '';
    } else if (char === '>') this.#isWhole = true;
    else if ((char === '"' || char === "'") && BEFORE_VALUE.test(this.#last)) this.#quote = char;
    this.#last = char;
  }
}

/** The character in front of a quote that begins a value. */
const BEFORE_VALUE = /[\s=]/;

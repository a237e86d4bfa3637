/** Thrown for texts that are not as the server writes them. */
export class Otherwise extends Error {}

/** Scans a text; characters are bytes. */
export class Scanner {
  at = 0;

  constructor(readonly text: string) {}

  /** Reads a string as it is between its quotes. @throws Otherwise */
  string(): string {
    this.expect('"');
    const { text, at: start } = this;
    let end = text.indexOf('"', start);
    while (end >= 0 && this.#isEscaped(end)) end = text.indexOf('"', end + 1);
    if (end < 0) throw new Otherwise();
    this.at = end + 1;
    return text.slice(start, end);
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.text[before] === '\\') before--;
    return (at - before) % 2 === 0;
  }

  /** @throws Otherwise */
  expect(part: string): void {
    if (!this.skip(part)) throw new Otherwise();
  }

  /** Skips a part if it comes next; returns whether it did. */
  skip(part: string): boolean {
    if (!this.text.startsWith(part, this.at)) return false;
    this.at += part.length;
    return true;
  }

  /** @throws Otherwise unless at the end */
  end(): void {
    if (this.at !== this.text.length) throw new Otherwise();
  }
}

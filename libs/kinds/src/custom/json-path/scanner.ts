import { JsonPathError } from './node.js';

const TERMINATORS = new Set(['.', ',', '[', ']', '$', '@', '{', '}', ' ', '\t', '\r', '\n', '']);

/** Reads a text character by character; '' stands for its end. */
export class JsonPathScanner {
  #at = 0;

  constructor(private readonly text: string) {}

  /** Whether the end is reached. */
  get atEnd(): boolean {
    return this.#at >= this.text.length;
  }

  /** Returns whether the rest of the text begins with a prefix. */
  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.#at);
  }

  /** Returns the next character without consuming it. */
  peek(): string {
    const code = this.text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  /** Consumes and returns the next character. */
  next(): string {
    const found = this.peek();
    this.#at += found.length;
    return found;
  }

  /** Consumes characters, counted in UTF-16 code units. */
  skip(characters: number): void {
    this.#at += characters;
  }

  /**
   * Consumes the text up to and including a delimiter, and returns it without that.
   * @throws JsonPathError if it is not on this line
   */
  through(end: string, refusal: string): string {
    const at = this.text.indexOf(end, this.#at);
    const line = this.text.indexOf('\n', this.#at);
    if (at < 0 || (line >= 0 && line < at)) throw new JsonPathError(refusal);
    const found = this.text.slice(this.#at, at);
    this.#at = at + end.length;
    return found;
  }

  /** Consumes and returns a name. @param escapes whether a backslash includes the next character */
  name(escapes: boolean): string {
    const from = this.#at;
    for (let each = this.peek(); !TERMINATORS.has(each); each = this.peek()) {
      this.next();
      if (escapes && each === '\\') this.next();
    }
    return this.text.slice(from, this.#at);
  }

  /** Consumes and returns characters as long as a predicate accepts them. */
  while(takes: (character: string) => boolean): string {
    const from = this.#at;
    while (!this.atEnd && takes(this.peek())) this.next();
    return this.text.slice(from, this.#at);
  }

  /**
   * Consumes and returns a quoted text with its quotes, the first of which is next.
   * @throws JsonPathError for an unterminated one
   */
  quoted(): string {
    const from = this.#at;
    const quote = this.next();
    for (;;) {
      const each = this.next();
      if (each === '' || each === '\n') throw new JsonPathError('unterminated quoted string');
      if (each === quote && this.text[this.#at - 2] !== '\\') return this.text.slice(from, this.#at);
    }
  }

  /**
   * Consumes the rest of `[?(…)]` and returns the content. A parenthesis ends it, unless it is within the first quoted
   * text.
   * @throws JsonPathError for an unterminated one
   */
  filter(): string {
    const from = this.#at;
    let [quote, closed] = ['', false];
    for (;;) {
      const each = this.next();
      if (each === '' || each === '\n') throw new JsonPathError('unterminated filter');
      if (each === '"' || each === "'") {
        if (quote === '') quote = each;
        else if (each === quote && this.text[this.#at - 2] !== '\\') closed = true;
      } else if (each === ')' && (quote === '' || closed)) break;
    }
    const inside = this.text.slice(from, this.#at - 1);
    if (this.next() !== ']') throw new JsonPathError('unclosed array expect ]');
    return inside;
  }
}

import { JsonPathError } from './node.js';

const TERMINATORS = new Set(['.', ',', '[', ']', '$', '@', '{', '}', ' ', '\t', '\r', '\n', '']);

/** Reads a text character by character; '' stands for its end. */
export class Scanner {
  #at = 0;

  constructor(private readonly text: string) {}

  get atEnd(): boolean {
    return this.#at >= this.text.length;
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.#at);
  }

  peek(): string {
    const code = this.text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  next(): string {
    const found = this.peek();
    this.#at += found.length;
    return found;
  }

  skip(characters: number): void {
    this.#at += characters;
  }

  /** Up to the next of these characters, which is passed over. @throws JsonPathError where it does not come on this line */
  through(end: string, refusal: string): string {
    const at = this.text.indexOf(end, this.#at);
    const line = this.text.indexOf('\n', this.#at);
    if (at < 0 || (line >= 0 && line < at)) throw new JsonPathError(refusal);
    const found = this.text.slice(this.#at, at);
    this.#at = at + end.length;
    return found;
  }

  /** Up to what may follow a name. @param escapes whether a backslash takes the next character along */
  name(escapes: boolean): string {
    const from = this.#at;
    for (let each = this.peek(); !TERMINATORS.has(each); each = this.peek()) {
      this.next();
      if (escapes && each === '\\') this.next();
    }
    return this.text.slice(from, this.#at);
  }

  /** As many characters as a predicate takes. */
  while(takes: (character: string) => boolean): string {
    const from = this.#at;
    while (!this.atEnd && takes(this.peek())) this.next();
    return this.text.slice(from, this.#at);
  }

  /** A text in quotes, with its quotes, of which the first is the next character. @throws JsonPathError for one that does not end */
  quoted(): string {
    const from = this.#at;
    const quote = this.next();
    for (;;) {
      const each = this.next();
      if (each === '' || each === '\n') throw new JsonPathError('unterminated quoted string');
      if (each === quote && this.text[this.#at - 2] !== '\\') return this.text.slice(from, this.#at);
    }
  }

  /** The inside of `[?(…)]`, behind its head. Parentheses end it, but for those in the first text in quotes. @throws JsonPathError */
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

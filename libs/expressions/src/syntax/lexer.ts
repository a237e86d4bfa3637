import type { Issues } from './issues.js';
import type { ExpressionSource } from './source.js';

/** Kind of a token; punctuation and the words `in`, `true`, `false`, `null` are their own kind. */
export type TokenKind = 'identifier' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'end' | string;

/** A piece of the source. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** In code points from the start. */
  readonly offset: number;
}

const WORDS = new Set(['in', 'true', 'false', 'null']);
const DIGITS = '[0-9]+';
const EXPONENT = `(?:[eE][+-]?${DIGITS})`;
const SPACE = /[\t \r\n\f]+|\/\/[^\n]*/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const DOUBLE = new RegExp(`${DIGITS}\\.${DIGITS}${EXPONENT}?|${DIGITS}${EXPONENT}|\\.${DIGITS}${EXPONENT}?`, 'y');
const INTEGER = /(0x[0-9a-fA-F]+|[0-9]+)([uU]?)/y;
const PUNCTUATION = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
const QUOTE = /([bB]?)([rR]?)("""|'''|"|')/y;
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y;

/** Splits a source into tokens; text that begins no token is reported as a fault and skipped. */
export class Lexer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** Index in UTF-16 units, and the same position in code points. */
  #index = 0;
  #offset = 0;

  constructor(
    private readonly source: ExpressionSource,
    private readonly issues: Issues,
  ) {
    this.#text = source.text;
  }

  /** All tokens; the last is `end`. */
  tokens(): Token[] {
    while (this.#index < this.#text.length) this.#next();
    this.#tokens.push({ kind: 'end', text: '<EOF>', offset: this.#offset });
    return this.#tokens;
  }

  #next(): void {
    const space = this.#match(SPACE);
    if (space !== undefined) {
      this.#advance(space.length);
      return;
    }
    const quote = this.#quoted();
    if (quote) return;
    const identifier = this.#match(IDENTIFIER);
    if (identifier !== undefined) {
      this.#push(WORDS.has(identifier) ? identifier : 'identifier', identifier);
      return;
    }
    if (this.#number()) return;
    const punctuation = this.#match(PUNCTUATION);
    if (punctuation !== undefined) {
      this.#push(punctuation, punctuation);
      return;
    }
    this.#refuse(this.#unknown());
  }

  #number(): boolean {
    const double = this.#match(DOUBLE);
    const integer = this.#match(INTEGER);
    if (double !== undefined && double.length >= (integer?.length ?? 0)) this.#push('double', double);
    else if (integer !== undefined) this.#push(/[uU]$/.test(integer) ? 'uint' : 'int', integer);
    else return false;
    return true;
  }

  /** Reads a string or bytes, in one of the eight ways to quote; false if there is no quote. */
  #quoted(): boolean {
    QUOTE.lastIndex = this.#index;
    const match = QUOTE.exec(this.#text);
    if (!match) return false;
    const [open, bytes = '', raw = '', quote = ''] = match;
    const end = this.#endOfQuoted(this.#index + open.length, quote, raw !== '');
    if (end.closed) {
      this.#push(bytes === '' ? 'string' : 'bytes', this.#text.slice(this.#index, end.index));
      return true;
    }
    // Three unclosed quotes are an empty string and one more quote.
    if (quote.length === 3) {
      this.#push(bytes === '' ? 'string' : 'bytes', open.slice(0, -1));
      return true;
    }
    if (bytes + raw !== '') return false;
    this.#refuse(this.#text.slice(this.#index, end.index));
    return true;
  }

  /** Index behind the closing quote, or behind an invalid character. */
  #endOfQuoted(start: number, quote: string, raw: boolean): { readonly index: number; readonly closed: boolean } {
    const text = this.#text;
    let index = start;
    while (index < text.length) {
      if (text.startsWith(quote, index)) return { index: index + quote.length, closed: true };
      const unit = text[index] as string;
      if (quote.length === 1 && (unit === '\n' || unit === '\r')) return { index: index + 1, closed: false };
      if (unit !== '\\' || raw) {
        index++;
        continue;
      }
      ESCAPE.lastIndex = index;
      const sequence = ESCAPE.exec(text);
      if (!sequence) return { index: Math.min(index + 2, text.length), closed: false };
      index += sequence[0].length;
    }
    return { index, closed: false };
  }

  /** Text that the lexer of the reference skips at once: a character, and the one that showed that it cannot go on. */
  #unknown(): string {
    const point = String.fromCodePoint(this.#text.codePointAt(this.#index) as number);
    return '=&|'.includes(point) ? this.#text.slice(this.#index, this.#index + 2) : point;
  }

  #refuse(text: string): void {
    this.issues.add(
      this.source.locationOf(this.#offset),
      `Syntax error: token recognition error at: '${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`,
    );
    this.#advance(text.length);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#index;
    return pattern.exec(this.#text)?.[0];
  }

  #push(kind: TokenKind, text: string): void {
    this.#tokens.push({ kind, text, offset: this.#offset });
    this.#advance(text.length);
  }

  #advance(units: number): void {
    const end = this.#index + units;
    while (this.#index < end) {
      this.#index += (this.#text.codePointAt(this.#index) as number) > 0xffff ? 2 : 1;
      this.#offset++;
    }
  }
}

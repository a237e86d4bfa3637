import type { LabelOperator, LabelRequirement } from './label-requirement.js';
import { LabelSelector, labelRequirement, SelectorError } from './label-selector.js';

type TokenKind = 'identifier' | 'symbol' | 'end';
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const TOKEN = /\s*(?:(==|!=|[=!<>(),])|([^\s=!<>(),]+))/y;

const COMPARISONS: ReadonlyMap<string, LabelOperator> = new Map([
  ['=', 'in'],
  ['==', 'in'],
  ['!=', 'notin'],
  ['>', 'gt'],
  ['<', 'lt'],
]);

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[1] !== undefined) tokens.push({ kind: 'symbol', text: match[1] });
    else tokens.push({ kind: 'identifier', text: match[2] ?? '' });
  }
  return tokens;
}

const expected = (token: Token, what: string) => new SelectorError(`found '${token.text}', expected: ${what}`);

/** Recursive descent over the tokens of one selector. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().kind === 'end') return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const separator = this.#next();
      if (separator.kind === 'end') return requirements;
      if (separator.text !== ',') throw expected(separator, "',' or 'end of string'");
      const following = this.#peek();
      if (following.kind !== 'identifier' && following.text !== '!') throw expected(following, "identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    const first = this.#next();
    if (first.text === '!') return labelRequirement(this.#key(), '!', []);
    if (first.kind !== 'identifier') throw expected(first, "!, identifier, or 'end of string'");
    const following = this.#peek();
    if (following.kind === 'end' || following.text === ',') return labelRequirement(first.text, 'exists', []);
    const operator = this.#next();
    if (operator.kind === 'identifier' && (operator.text === 'in' || operator.text === 'notin')) {
      return labelRequirement(first.text, operator.text, this.#set());
    }
    const comparison = COMPARISONS.get(operator.text);
    if (!comparison) throw expected(operator, 'in, notin, =, ==, !=, gt, lt');
    return labelRequirement(first.text, comparison, [this.#value()]);
  }

  #key(): string {
    const token = this.#next();
    if (token.kind !== 'identifier') throw expected(token, 'identifier');
    return token.text;
  }

  /** Parses the value of a comparison; it may be omitted, which means the empty one. */
  #value(): string {
    const token = this.#peek();
    if (token.kind === 'end' || token.text === ',') return '';
    if (token.kind !== 'identifier') throw expected(token, 'identifier');
    this.#at++;
    return token.text;
  }

  /** Parses `(a,b)`; nothing between commas is the empty value. */
  #set(): string[] {
    const open = this.#next();
    if (open.text !== '(') throw expected(open, "'('");
    const values: string[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'identifier') {
        values.push(token.text);
        this.#at++;
      } else {
        values.push('');
      }
      const separator = this.#next();
      if (separator.text === ')') return values;
      if (separator.text !== ',') throw expected(separator, "',' or ')'");
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

/**
 * Parses the string form of a label selector: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`. The empty text selects
 * everything.
 * @throws SelectorError
 */
export function parseLabelSelector(text: string): LabelSelector {
  try {
    return new LabelSelector(new Parser(text).selector());
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
  }
}

import { type Expression, type MapEntry, qualifiedName } from './ast.js';
import { DEEPEST, OpenRules, TooDeepError } from './depth.js';
import { Issues } from './issues.js';
import { Lexer, type Token, type TokenKind } from './lexer.js';
import { literalOf, UnescapeError } from './literals.js';
import { BASE_MACROS, expandMacro, MacroError, type Macros } from './macros.js';
import { Nodes } from './nodes.js';
import { Operator, PRODUCTS, RELATIONS, SUMS } from './operators.js';
import { ExpressionSource, NO_LOCATION } from './source.js';
import { beginsOperand, operandMissing, tokenMissing } from './syntax-errors.js';

/** Code points of the longest expression. */
const LONGEST = 100_000;
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

/** Thrown internally at the first syntax error. */
class SyntaxStop extends Error {}

/** A parsed expression. */
export interface Parsed {
  readonly source: ExpressionSource;
  readonly root: Expression;
  /** Numbers of nodes that occur several times; see {@link Nodes.shared}. */
  readonly shared: ReadonlySet<number>;
}

/** Differences in syntax between languages of different releases. */
export interface Grammar {
  /** Whether `.?`, `[?` and optional members are allowed. */
  readonly optionals: boolean;
  readonly macros: Macros;
}

/** Grammar of release 1.27. */
export const BASE_GRAMMAR: Grammar = { optionals: false, macros: BASE_MACROS };

/**
 * Parses an expression of the grammar of cel-go 0.12.7, with its limits of size and depth.
 * @param grammar later additions
 * @throws ExpressionError
 */
export function parse(text: string, grammar = BASE_GRAMMAR): Parsed {
  const source = new ExpressionSource(text);
  const issues = new Issues(source);
  const size = source.points.length;
  if (size > LONGEST)
    issues.add(NO_LOCATION, `expression code point size exceeds limit: size: ${size}, limit ${LONGEST}`);
  issues.throwIfAny();
  const tokens = new Lexer(source, issues).tokens();
  const parser = new Parser(tokens, issues, grammar);
  const root = parser.parse();
  issues.throwIfAny();
  return { source, root: root as Expression, shared: parser.shared };
}

/**
 * Recursive descent, one method for each rule of the grammar. Each sets `#height` to the depth of the reference's
 * recursion over its result.
 */
class Parser {
  readonly #nodes = new Nodes();
  readonly #open = { expr: new OpenRules(), relation: new OpenRules(), calc: new OpenRules(), member: new OpenRules() };
  #at = 0;
  #height = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issues,
    private readonly grammar: Grammar,
  ) {}

  get shared(): ReadonlySet<number> {
    return this.#nodes.shared;
  }

  /** Returns the expression; undefined if faults were reported instead. */
  parse(): Expression | undefined {
    try {
      const root = this.#expr();
      if (this.#token.kind !== 'end') this.#stop(tokenMissing('end', this.#token, this.tokens[this.#at + 1]));
      if (this.#height + 1 > DEEPEST) throw new TooDeepError('max recursion depth exceeded');
      return root;
    } catch (error) {
      if (error instanceof TooDeepError) this.issues.add(NO_LOCATION, error.message);
      else if (!(error instanceof SyntaxStop)) throw error;
      return undefined;
    }
  }

  #expr(): Expression {
    this.#open.expr.enter();
    const condition = this.#or();
    let height = this.#height;
    let node = condition;
    const operator = this.#take('?');
    if (operator) {
      const id = this.#nodes;
      const yes = this.#or();
      height = Math.max(height, this.#height);
      this.#expect(':');
      const no = this.#expr();
      height = Math.max(height, this.#height);
      node = id.call(operator.offset, Operator.conditional, [condition, yes, no]);
    }
    this.#open.expr.leave(1);
    this.#height = height + 1;
    return node;
  }

  #or(): Expression {
    return this.#terms('||', Operator.or, () => this.#terms('&&', Operator.and, () => this.#relation()));
  }

  /** Parses operands between associative operators. */
  #terms(
    token: '||' | '&&',
    operator: typeof Operator.or | typeof Operator.and,
    operand: () => Expression,
  ): Expression {
    const terms = [operand()];
    const offsets: number[] = [];
    let height = this.#height;
    for (let found = this.#take(token); found; found = this.#take(token)) {
      offsets.push(found.offset);
      terms.push(operand());
      height = Math.max(height, this.#height);
    }
    this.#height = height + 1;
    return this.#nodes.balanced(operator, terms, offsets);
  }

  #relation(): Expression {
    return this.#leftBound(this.#open.relation, RELATIONS, () => this.#sum(), { own: 1, entered: 1 });
  }

  #sum(): Expression {
    return this.#leftBound(this.#open.calc, SUMS, () => this.#product(), { own: 0, entered: 1 });
  }

  #product(): Expression {
    return this.#leftBound(this.#open.calc, PRODUCTS, () => this.#unary(), { own: 1, entered: 0 });
  }

  /**
   * Parses operands between left-associative operators. `own` is the height that a single operand adds, `entered`
   * whether the rule counts without an operator: sums and products are one rule of the reference's grammar.
   */
  #leftBound(
    open: OpenRules,
    operators: ReadonlyMap<string, string>,
    operand: () => Expression,
    rule: { readonly own: 0 | 1; readonly entered: 0 | 1 },
  ): Expression {
    const { own } = rule;
    let { entered }: { entered: number } = rule;
    if (entered > 0) open.enter();
    let node = operand();
    let height = this.#height + own;
    for (let name = operators.get(this.#token.kind); name !== undefined; name = operators.get(this.#token.kind)) {
      const { offset } = this.#next();
      open.enter();
      entered++;
      const right = operand();
      height = Math.max(height, this.#height + own) + 1;
      node = this.#nodes.call(offset, name, [node, right]);
    }
    open.leave(entered);
    this.#height = height;
    return node;
  }

  #unary(): Expression {
    const first = this.#token;
    const negatesLiteral = first.kind === '-' && ['int', 'double'].includes(this.tokens[this.#at + 1]?.kind ?? '');
    if (!negatesLiteral && (first.kind === '!' || first.kind === '-')) return this.#operators(first);
    const node = this.#member();
    this.#height++;
    return node;
  }

  #operators(first: Token): Expression {
    let count = 0;
    while (this.#take(first.kind)) count++;
    const node = this.#member();
    this.#height += 2;
    if (count % 2 === 0) return node;
    return this.#nodes.call(first.offset, first.kind === '!' ? Operator.not : Operator.negate, [node]);
  }

  #member(): Expression {
    let entered = 1;
    this.#open.member.enter();
    let node = this.#primary();
    for (;;) {
      const token = this.#token;
      if (token.kind !== '.' && token.kind !== '[' && token.kind !== '{') break;
      this.#open.member.enter();
      entered++;
      this.#next();
      const height = this.#height + 1;
      this.#height = 0;
      if (token.kind === '.') node = this.#selectOrCall(node, token);
      else if (token.kind === '[') node = this.#index(node, token);
      else node = this.#message(node, token);
      this.#height = Math.max(height, this.#height);
    }
    this.#open.member.leave(entered);
    return node;
  }

  #selectOrCall(operand: Expression, dot: Token): Expression {
    if (this.#takeOptional()) return this.#optionalSelect(operand, dot);
    const { text } = this.#expect('identifier');
    const open = this.#take('(');
    if (!open) return this.#nodes.select(dot.offset, operand, text);
    return this.#call(open, text, this.#arguments(), operand);
  }

  #optionalSelect(operand: Expression, dot: Token): Expression {
    const { text, offset } = this.#expect('identifier');
    const field = this.#nodes.literal(offset, { type: 'string', value: text });
    return this.#nodes.call(dot.offset, Operator.optionalSelect, [operand, field]);
  }

  #index(operand: Expression, open: Token): Expression {
    const operator = this.#takeOptional() ? Operator.optionalIndex : Operator.index;
    const index = this.#expr();
    this.#expect(']');
    return this.#nodes.call(open.offset, operator, [operand, index]);
  }

  /** Consumes the mark of an optional, if there is one. */
  #takeOptional(): boolean {
    return this.grammar.optionals && this.#take('?') !== undefined;
  }

  #message(target: Expression, open: Token): Expression {
    const name = qualifiedName(target);
    if (name === undefined) this.#fault(target.offset, 'expected a qualified name');
    const entries: { field: string; offset: number; value: Expression }[] = [];
    this.#separated('}', () => {
      this.#takeOptional();
      const field = this.#expect('identifier').text;
      const { offset } = this.#expect(':');
      entries.push({ field, offset, value: this.#expr() });
    });
    return { kind: 'message', id: this.#nodes.id(), offset: open.offset, name: name ?? '', entries };
  }

  #primary(): Expression {
    const token = this.#token;
    this.#height = 0;
    if (!beginsOperand(token.kind) || token.kind === '!') this.#stop(operandMissing(token, this.tokens[this.#at + 1]));
    if (token.kind === '.' || token.kind === 'identifier') return this.#name();
    if (this.#take('(')) {
      const node = this.#expr();
      this.#expect(')');
      return node;
    }
    if (this.#take('[')) {
      return this.#list(token);
    }
    return this.#take('{') ? this.#map(token) : this.#literal();
  }

  #list(open: Token): Expression {
    const elements: Expression[] = [];
    const optional = new Set<number>();
    this.#separated(']', () => {
      if (this.#takeOptional()) optional.add(elements.length);
      elements.push(this.#expr());
    });
    const list = this.#nodes.list(open.offset, elements);
    return optional.size === 0 ? list : { ...list, optional };
  }

  #map(open: Token): Expression {
    const entries: MapEntry[] = [];
    this.#separated('}', () => {
      const isOptional = this.#takeOptional();
      const key = this.#expr();
      const height = this.#height;
      this.#expect(':');
      entries.push({ key, value: this.#expr(), isOptional });
      this.#height = Math.max(height, this.#height);
    });
    this.#height++;
    return { kind: 'map', id: this.#nodes.id(), offset: open.offset, entries };
  }

  #name(): Expression {
    const dot = this.#take('.') ? '.' : '';
    const { text, offset } = this.#expect('identifier');
    const open = this.#take('(');
    const args = open ? this.#arguments() : [];
    if (RESERVED.has(text)) this.#fault(offset - dot.length, `reserved identifier: ${text}`);
    return open ? this.#call(open, dot + text, args) : this.#nodes.ident(offset, dot + text);
  }

  #literal(): Expression {
    const start = this.#token;
    const sign = this.#take('-') ? '-' : '';
    const token = this.#next();
    if (sign !== '' && token.kind !== 'int' && token.kind !== 'double') this.#stop(operandMissing(start, token));
    try {
      return this.#nodes.literal(start.offset, literalOf(token, sign));
    } catch (error) {
      if (!(error instanceof UnescapeError)) throw error;
      this.#fault(start.offset, error.message);
      return this.#nodes.literal(start.offset, { type: 'null' });
    }
  }

  /** Parses the arguments of a call behind its opening parenthesis. */
  #arguments(): Expression[] {
    const args: Expression[] = [];
    let height = 0;
    this.#height = 0;
    while (this.#token.kind !== ')' || args.length > 0) {
      args.push(this.#expr());
      height = Math.max(height, this.#height);
      if (!this.#take(',')) break;
    }
    this.#expect(')');
    this.#height = height;
    return args;
  }

  #call(open: Token, name: string, args: readonly Expression[], target?: Expression): Expression {
    const call = target === undefined ? { name, args } : { name, args, target };
    try {
      const expanded = expandMacro(this.#nodes, open.offset, call, this.grammar.macros);
      if (expanded) return expanded;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#fault(error.offset ?? open.offset, error.message);
    }
    return this.#nodes.call(open.offset, name, args, target);
  }

  /** Parses items separated by commas, with an optional trailing one, up to and including the closing token. */
  #separated(close: TokenKind, item: () => void): void {
    let height = 0;
    if (this.#token.kind !== close && this.#token.kind !== ',') {
      do {
        this.#height = 0;
        item();
        height = Math.max(height, this.#height);
      } while (this.#take(',') && this.#token.kind !== close);
    } else this.#take(',');
    this.#expect(close);
    this.#height = height;
  }

  get #token(): Token {
    return this.tokens[this.#at] as Token;
  }

  #next(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #take(kind: TokenKind): Token | undefined {
    return this.#token.kind === kind ? this.#next() : undefined;
  }

  #expect(kind: TokenKind): Token {
    const token = this.#take(kind);
    return token ?? this.#stop(tokenMissing(kind, this.#token, this.tokens[this.#at + 1]));
  }

  #fault(offset: number, message: string): void {
    this.issues.add(this.issues.source.locationOf(offset), message);
  }

  #stop(message: string): never {
    this.#fault(this.#token.offset, message);
    throw new SyntaxStop();
  }
}

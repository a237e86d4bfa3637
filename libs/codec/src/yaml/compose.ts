import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from 'yaml';
import { TooManyValuesError } from '../too-many-values.js';
import { type YamlLimits, YamlSyntaxError } from './yaml-limits.js';

/** Maximum number of syntax levels per level of values. */
const LEVELS_PER_VALUE = 3;
/** Maximum number of lexemes per value: its indent, its key and the punctuation. */
const LEXEMES_PER_VALUE = 10;

/** Scalars stay source text: tags are resolved where their values are made. */
const READING = {
  schema: 'failsafe',
  resolveKnownTags: false,
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
} as const;

/** The syntax of a document, and the starts of its lines. */
export interface Composed {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/**
 * Composes the first document of a text: later ones are not read, as by Go's readers.
 * @throws YamlSyntaxError, TooManyValuesError
 */
export function compose(text: string, limits: Pick<Required<YamlLimits>, 'maxValues' | 'maxDepth'>): Composed {
  const lines = new LineCounter();
  const composer = new Composer(READING);
  const [document] = composer.compose(tokens(text, lines, limits), true, text.length);
  throwFirst(document as Document.Parsed, lines);
  return { document: document as Document.Parsed, lines };
}

/**
 * Tokens of a text, no more than a document of so many values can need, and no deeper: composing them is recursive, and
 * a stack that runs out while a regular expression is compiled ends the process.
 */
function* tokens(
  text: string,
  lines: LineCounter,
  { maxValues, maxDepth }: Pick<Required<YamlLimits>, 'maxValues' | 'maxDepth'>,
): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let left = maxValues * LEXEMES_PER_VALUE;
  for (const lexeme of new Lexer().lex(text)) {
    if (--left < 0) throw new TooManyValuesError(maxValues);
    yield* parser.next(lexeme);
    if (parser.stack.length > LEVELS_PER_VALUE * (maxDepth + 1)) throw new YamlSyntaxError('yaml: exceeded max depth');
  }
  yield* parser.end();
}

function throwFirst({ errors: [error] }: Document.Parsed, lines: LineCounter): void {
  if (!error) return;
  const { line } = lines.linePos(error.pos[0]);
  throw new YamlSyntaxError(`yaml: ${line > 0 ? `line ${line}: ` : ''}${error.message.replace(/:$/, '')}`);
}

import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from 'yaml';
import { TooManyValuesError } from '../too-many-values.js';
import { YamlSyntaxError } from './yaml-limits.js';

/** Pieces of text that a value is written in, at most: its indent, its key and what stands around it. */
const LEXEMES_PER_VALUE = 10;

/** A document as it stands in the text, and where its lines begin. */
export interface Composed {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The one document of a text. @throws YamlSyntaxError, TooManyValuesError */
export function compose(text: string, maxValues: number): Composed {
  const lines = new LineCounter();
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, merge: false, prettyErrors: false });
  let found: Document.Parsed | undefined;
  try {
    for (const document of composer.compose(tokens(text, lines, maxValues), true, text.length)) {
      if (found) throw new YamlSyntaxError('yaml: multiple documents in one body');
      found = document as Document.Parsed;
      throwFirst(found, lines);
    }
  } catch (error) {
    // The composer recurses; a stack that runs out is the input's fault.
    if (error instanceof RangeError) throw new YamlSyntaxError('exceeded max depth');
    throw error;
  }
  return { document: found as Document.Parsed, lines };
}

/** The syntax of a text, no more of it than a document of so many values can need. */
function* tokens(text: string, lines: LineCounter, maxValues: number): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let left = maxValues * LEXEMES_PER_VALUE;
  for (const lexeme of new Lexer().lex(text)) {
    if (--left < 0) throw new TooManyValuesError(maxValues);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function throwFirst({ errors: [error] }: Document.Parsed, lines: LineCounter): void {
  if (!error) return;
  const { line } = lines.linePos(error.pos[0]);
  throw new YamlSyntaxError(`yaml: ${line > 0 ? `line ${line}: ` : ''}${error.message.replace(/:$/, '')}`);
}

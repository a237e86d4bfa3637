import { JsonSyntaxError, parseYaml, TooManyValuesError, YamlSyntaxError } from '@orch/codec';
import type { JsonValue } from '@orch/machinery';

/** A document of a text that may hold several. */
interface Document {
  readonly text: string;
  /** Line of the whole text in which this one begins, from 1. */
  readonly line: number;
  /** Line of the first value in it. */
  readonly begin: number;
}

/** A message about a line of the whole text. */
interface Remark {
  readonly line: number;
  readonly text: string;
}

/** A document's value, and the keys that stand in it more than once; or why there is none. */
type ParsedDocument =
  | { readonly value: JsonValue; readonly repeated: readonly Remark[] }
  | { readonly error: string; readonly line: number };

const SEPARATOR = /^---(?:\s|$)/;
/** Blank, a comment, a directive, or a separator with nothing behind it. */
const SAYS_NOTHING = /^\s*(?:#.*)?$|^%|^---\s*(?:#.*)?$|^\.\.\.\s*$/;

/**
 * Splits a text into its documents, in order: YAML, JSON, or JSON values one after another. Empty ones are left out.
 */
export function splitDocuments(text: string): readonly Document[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const begins = lines.flatMap((line, at) => (at > 0 && SEPARATOR.test(line) ? [at] : []));
  return [0, ...begins].flatMap((from, index) => {
    const own = lines.slice(from, begins[index]);
    const first = own.findIndex((line) => !SAYS_NOTHING.test(line));
    if (first < 0) return [];
    const document = { text: own.join('\n'), line: from + 1, begin: from + first + 1 };
    return /^\s*\{/.test(document.text) ? splitJson(document) : [document];
  });
}

/** Splits JSON objects that follow each other. Text that is not JSON is not split: the parser reports its error. */
function splitJson(document: Document): readonly Document[] {
  const ends = [...endsOfObjects(document.text)];
  if (ends.length < 2 || document.text.slice(ends.at(-1)).trim() !== '') return [document];
  let [from, line] = [0, document.line];
  return ends.map((end) => {
    const gap = /^\s*/.exec(document.text.slice(from, end))?.[0].length ?? 0;
    line += newlines(document.text.slice(from, from + gap));
    const text = document.text.slice(from + gap, end);
    const made = { text, line, begin: line };
    [from, line] = [end, line + newlines(text)];
    return made;
  });
}

const newlines = (text: string): number => text.split('\n').length - 1;

/** Yields the end of each outermost object, up to the first character that is not JSON. */
function* endsOfObjects(text: string): Generator<number> {
  const marks = /["'#\\{}]/g;
  let depth = 0;
  let within = false;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '"') within = !within;
    else if (mark[0] === '\\') marks.lastIndex += 1;
    else if (within) continue;
    else if (mark[0] === "'" || mark[0] === '#') return;
    else if (mark[0] === '{') depth++;
    else if (--depth === 0) yield marks.lastIndex;
  }
}

/** The value of a document, read as the servers read it. */
export function parseDocument({ text, line }: Document): ParsedDocument {
  const whole = (within: number): number => line + within - 1;
  try {
    const { value, repeated } = parseYaml(text);
    return { value, repeated: repeated.map((problem) => placed(problem, whole)) };
  } catch (error) {
    if (
      !(error instanceof YamlSyntaxError || error instanceof JsonSyntaxError || error instanceof TooManyValuesError)
    ) {
      throw error;
    }
    const { line: at, text: problem } = placed(error.message.replace(/^yaml: /, ''), whole);
    return { error: problem, line: at };
  }
}

/** A message of the reader without the line that it names, and that line in the whole text. */
function placed(message: string, whole: (line: number) => number): Remark {
  const named = /^line (\d+): /.exec(message);
  return { line: whole(Number(named?.[1] ?? 1)), text: message.slice(named?.[0].length ?? 0) };
}

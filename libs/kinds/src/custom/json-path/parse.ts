import { type JsonPath, JsonPathError, type PathNode } from './node.js';
import { JsonPathScanner } from './scanner.js';
import { unquote } from './unquote.js';

const KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)([^\n]+)$/;
/** Most levels of nested paths; the paths in filters and unions cannot contain further ones that are valid. */
const MAX_DEPTH = 8;
/**
 * Most characters of a path, and of all paths that are parsed together: a parsed step takes a hundred times the memory
 * of its text.
 */
const LONGEST = 8 << 10;
const MOST_CHARACTERS = 32 << 10;

/** Counts the characters of the paths of one definition, which are parsed together and kept as long as it. */
export class PathReading {
  #left = MOST_CHARACTERS;

  /** Counts a path. @throws JsonPathError for a path that is too long, alone or with those before it */
  take(path: string): void {
    if (path.length > LONGEST) throw new JsonPathError(`longer than ${LONGEST} characters`);
    this.#left -= path.length;
    if (this.#left < 0)
      throw new JsonPathError(`the paths of a definition have more than ${MOST_CHARACTERS} characters`);
  }
}

/**
 * Parses the path of a printer column, in the grammar of the JSONPath templates of release 1.27 (client-go
 * util/jsonpath): the content of its braces, so that a path which closes them itself ends there.
 * @param reading counts the paths that are kept with it; default for a single path
 * @throws JsonPathError with the reason
 */
export function parseJsonPath(text: string, reading = new PathReading()): JsonPath {
  reading.take(text);
  const [first = []] = parseTemplate(`{${text}}`, 0);
  return first;
}

/** Parses the actions of a template; texts between them are ignored. */
function parseTemplate(text: string, depth: number): JsonPath[] {
  if (depth > MAX_DEPTH) throw new JsonPathError('too many levels');
  const scanner = new JsonPathScanner(text);
  const actions: JsonPath[] = [];
  for (;;) {
    scanner.while((each) => each !== '{');
    if (scanner.atEnd) return actions;
    scanner.skip(1);
    actions.push(parseAction(scanner, depth));
  }
}

const inner = (text: string, depth: number): JsonPath => parseTemplate(`{${text}}`, depth + 1)[0] ?? [];

function parseAction(scanner: JsonPathScanner, depth: number): JsonPath {
  const nodes: PathNode[] = [];
  while (!scanner.startsWith('}')) nodes.push(...parseStep(scanner, depth, nodes.at(-1)));
  scanner.skip(1);
  return nodes;
}

function parseStep(scanner: JsonPathScanner, depth: number, before: PathNode | undefined): JsonPath {
  if (scanner.startsWith('[?(')) {
    scanner.skip(3);
    return [filterOf(scanner.filter(), depth)];
  }
  if (scanner.startsWith('..')) return recursion(scanner, before);
  const character = scanner.peek();
  if (character === '"' || character === "'") return [{ kind: 'literal', value: unquote(scanner.quoted()) }];
  if (character === '+' || character === '-' || /^\p{Nd}/u.test(character)) return [number(scanner)];
  if (/^[\p{L}_]/u.test(character)) return [word(scanner.name(false))];
  scanner.next();
  if (character === ' ' || character === '@' || character === '$') return [];
  if (character === '.') return [field(scanner)];
  if (character === '[') return brackets(scanner.through(']', 'unterminated array'), depth);
  if (character === '' || character === '\r' || character === '\n') throw new JsonPathError('unclosed action');
  throw new JsonPathError(`unrecognized character in action: ${JSON.stringify(character)}`);
}

function recursion(scanner: JsonPathScanner, before: PathNode | undefined): JsonPath {
  if (before?.kind === 'recursive') throw new JsonPathError('invalid multiple recursive descent');
  scanner.skip(2);
  return [{ kind: 'recursive' }, ...(/^[\p{L}\p{Nd}_]/u.test(scanner.peek()) ? [field(scanner)] : [])];
}

function field(scanner: JsonPathScanner): PathNode {
  const name = scanner.name(true);
  return name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') };
}

function word(name: string): PathNode {
  return name === 'true' || name === 'false' ? { kind: 'literal', value: name === 'true' } : { kind: 'word', name };
}

function number(scanner: JsonPathScanner): PathNode {
  const sign = scanner.while((each) => each === '+' || each === '-').slice(0, 2);
  const digits = scanner.while((each) => each === '.' || /^\p{Nd}/u.test(each));
  if (sign.length > 1 || !/^(?=.*\d)\d*\.?\d*$/.test(digits)) {
    throw new JsonPathError(`cannot parse number ${sign}${digits}`);
  }
  const value = Number(`${sign}${digits}`);
  if (digits.includes('.')) return { kind: 'literal', value, fraction: true };
  return {
    kind: 'literal',
    value: Number.isSafeInteger(value) ? value : BigInt(`${sign === '-' ? '-' : ''}${digits}`),
  };
}

/** Parses the content of brackets: `*`, `'key'`, `1`, `1:3`, `::2`, or several of them. */
function brackets(inside: string, depth: number): JsonPath {
  const text = inside === '*' ? ':' : inside;
  const several = text.split(',');
  if (several.length > 1) {
    const paths = several.map((each) => inner(`[${each.replace(/^ +| +$/g, '')}]`, depth));
    return [{ kind: 'union', paths }];
  }
  const key = KEY.exec(text);
  if (key) return inner(`.${key[1]}`, depth);
  const found = SLICE.exec(text);
  if (!found) throw new JsonPathError(`invalid array index ${text}`);
  const [from, to, step] = [found[1], found[2]?.slice(1), found[3]?.slice(1)].map(position);
  return [{ kind: 'slice', from, to, step, one: found[2] === undefined }];
}

function position(digits: string | undefined): number | undefined {
  if (digits === undefined || digits === '') return undefined;
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new JsonPathError(`array index ${digits} is not a number`);
  return value;
}

function filterOf(text: string, depth: number): PathNode {
  const found = COMPARISON.exec(text);
  if (!found) return { kind: 'exists', path: inner(text, depth) };
  const [, left = '', operator = '', right = ''] = found;
  return { kind: 'compare', left: inner(left, depth), operator, right: inner(right, depth) };
}

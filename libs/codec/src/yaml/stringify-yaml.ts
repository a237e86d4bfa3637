import { stringifyJson } from '../json/stringify-json.js';
import { isReservedWord } from './plain-scalar.js';

const STEP = '  ';
/** Deeper values are written as JSON, which is YAML too: indents would outgrow the content. */
const MAX_INDENT = 100;
/** A key that is written before its `:` on one line must be shorter than 1,024 characters, quotes and escapes included. */
const MAX_IMPLICIT_KEY = 128;

/** Characters that readers take for line breaks or refuse, and surrogates. */
const DELICATE = '\\x7f-\\xa0\\u2028\\u2029\\ud800-\\udfff\\ufeff\\ufffe\\uffff';
/** Pattern of most keys and short texts. */
const WORD = /^[A-Za-z_/][\w./-]*$/;
/** A single line that begins like a word and contains neither `: ` nor ` #`. */
const PLAIN = new RegExp(`^[A-Za-z_/](?:[^\\x00-\\x1f${DELICATE}:#]|:(?=[^ ])|(?<! )#)*$`);
/** Several lines of which the first is not indented, and none is blank with more than spaces. */
const LITERAL = new RegExp(
  `^(?! )(?:[^\\x00-\\x1f${DELICATE} ][^\\x00-\\x1f${DELICATE}]*)\\n(?:[^\\x00-\\x09\\x0b-\\x1f${DELICATE}])*$`,
);
const BLANK_LINE = /^ +$/m;
const ESCAPED = new RegExp(`[${DELICATE}]|[\\u{10000}-\\u{10ffff}]`, 'gu');

/**
 * Encodes a JSON-shaped value as YAML, keys sorted. Texts that YAML 1.1 or 1.2 would read as something else are quoted.
 */
export function stringifyYaml(value: unknown): string {
  const out: string[] = [];
  writeNode(out, value ?? null, '', '');
  out.push('\n');
  return out.join('');
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Writes a node behind `key:` or `-`.
 * @param indent of the lines of its own
 * @param begin prefix of the first of them, if there are any
 */
function writeNode(out: string[], value: unknown, indent: string, begin: string): void {
  const isList = Array.isArray(value);
  const names = isList ? [] : namesOf(value);
  if (isList ? value.length === 0 : names.length === 0) out.push(begin && ' ', scalar(value, indent));
  else if (indent.length > MAX_INDENT) out.push(' ', quotedDelicate(stringifyJson(value)));
  else if (isList) writeList(out, value, indent, begin);
  else writeMembers(out, names, value as Members, indent, begin);
}

function writeList(out: string[], items: readonly unknown[], indent: string, begin: string): void {
  let before = begin;
  for (const item of items) {
    out.push(before, '-');
    writeNode(out, item ?? null, indent + STEP, ' ');
    before = `\n${indent}`;
  }
}

function writeMembers(out: string[], names: readonly string[], members: Members, indent: string, begin: string): void {
  let before = begin;
  for (const name of names) {
    const key = oneLine(name);
    out.push(before, key.length > MAX_IMPLICIT_KEY ? `? ${key}\n${indent}:` : `${key}:`);
    writeNode(out, members[name], indent + STEP, `\n${indent}${STEP}`);
    before = `\n${indent}`;
  }
}

function namesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const members = value as Members;
  return Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .sort();
}

function scalar(value: unknown, indent: string): string {
  if (typeof value === 'string') return value.includes('\n') ? lines(value, indent) : oneLine(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return '[]';
  return typeof value === 'object' && value !== null ? '{}' : JSON.stringify(value);
}

/** Readers of YAML 1.1 take `1e+21` for a text. */
const number = (value: number): string => JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');

/** Writes a text on one line: unquoted if it can only be read as itself. YAML has no lone surrogates. */
function oneLine(text: string): string {
  if (text === '') return '""';
  const plain = WORD.test(text) || (PLAIN.test(text) && !text.endsWith(' '));
  return plain && !isReservedWord(text) ? text : quotedDelicate(JSON.stringify(text.toWellFormed()));
}

const quotedDelicate = (json: string): string => json.replace(ESCAPED, escaped);

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}

/** A text of several lines as a literal block, if its lines cannot be confused with the block's own. */
function lines(text: string, indent: string): string {
  if (text.endsWith('\n\n') || !LITERAL.test(text) || BLANK_LINE.test(text)) return oneLine(text);
  const ended = text.endsWith('\n');
  const body = (ended ? text.slice(0, -1) : text).replaceAll(/\n(?=[^\n])/g, `\n${indent || STEP}`);
  return `|${ended ? '' : '-'}\n${indent || STEP}${body}`;
}

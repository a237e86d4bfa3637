import type { JsonObject, JsonValue } from '@orch/machinery';
import { MAX_PROBLEM_TEXT, MAX_PROBLEMS } from '../problem-limits.js';
import { TooManyValuesError } from '../too-many-values.js';
import { JsonSyntaxError } from './json-error.js';
import { type Duplicates, JsonReader, OWNERS_DEPTH } from './json-reader.js';
import { nativeJson } from './native-json.js';
import { scanJson } from './scan.js';

/** Limits of a text; exceeding them is a {@link JsonSyntaxError}. */
export interface JsonLimits {
  /**
   * Deepest nesting of objects and arrays; `metadata.managedFields` may be deeper by as much as those of the deepest
   * object need. Default 1000.
   */
  readonly maxDepth?: number;
  /** Most values, scalars, objects and lists together. Default: no limit. */
  readonly maxValues?: number;
  /** Longest input, bytes. Default: no limit. */
  readonly maxBytes?: number;
}

/** A parsed text. */
export interface ParsedJson {
  /** Integers beyond 2^53 are bigint. */
  readonly value: JsonValue;
  /** Number of values that {@link JsonLimits.maxValues} bounds. */
  readonly values: number;
  /** Names that occurred more than once, by object (the last value won); absent when there were none. */
  readonly duplicates?: Duplicates;
}

const DEFAULT_MAX_DEPTH = 1000;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** Escapes that may make a lone surrogate. */
const DELICATE = /\\u[dD]/;

/**
 * Parses strict JSON (RFC 8259). Integers beyond 2^53 are bigint.
 *
 * The native parser does the work when its result is provably that of the careful reader: no number of 16 digits or
 * more, no delicate escape, and as many members in the tree as colons in the text, so that no name was repeated. Limits
 * are checked before either, by a scan.
 * @throws JsonSyntaxError, TooManyValuesError
 */
export function parseJson(input: Buffer | string, limits: JsonLimits = {}): ParsedJson {
  const { maxDepth = DEFAULT_MAX_DEPTH, maxValues = UNLIMITED, maxBytes = UNLIMITED } = limits;
  if (input.length > maxBytes) throw new JsonSyntaxError(`input is longer than ${maxBytes} bytes`, maxBytes);
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const scan = scanJson(text, { maxDepth, maxValues });
  if (scan.values > maxValues) throw new TooManyValuesError(maxValues);
  const { values } = scan;
  const quick = scan.depth > maxDepth || scan.wideNumber ? undefined : parseNatively(text, scan.members);
  if (quick !== undefined) return { value: quick, values };
  const reader = new JsonReader(text, maxDepth);
  const value = reader.document();
  return reader.duplicates.size === 0 ? { value, values } : { value, values, duplicates: reader.duplicates };
}

/** Undefined when the careful reader must decide. */
function parseNatively(text: string, members: number): JsonValue | undefined {
  if (text.includes('\\') && DELICATE.test(text)) return undefined;
  try {
    const value = nativeJson(text);
    return value !== undefined && countMembers(value) === members ? value : undefined;
  } catch {
    return undefined;
  }
}

function countMembers(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  for (const name in value) {
    count++;
    const member = value[name];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count;
}

/**
 * Returns paths of repeated names (`spec.containers[0].image`), in the order of the document; of very many the first.
 */
export function duplicatePaths({ value, duplicates }: Pick<ParsedJson, 'value' | 'duplicates'>): string[] {
  const paths: string[] = [];
  let room = MAX_PROBLEM_TEXT;
  const visit = (node: JsonValue | undefined, path: string): void => {
    if (typeof node !== 'object' || node === null || paths.length >= MAX_PROBLEMS || room < 0) return;
    if (Array.isArray(node)) {
      node.forEach((item, index) => {
        visit(item, `${path}[${index}]`);
      });
      return;
    }
    const repeated = duplicates?.get(node);
    for (const [name, member] of Object.entries(node)) {
      const memberPath = path === '' ? name : `${path}.${name}`;
      visit(member, memberPath);
      if (!repeated?.has(name) || paths.length >= MAX_PROBLEMS || room < 0) continue;
      paths.push(memberPath);
      room -= memberPath.length;
    }
  };
  if (duplicates) visit(value, '');
  return paths;
}

const WIDE_DIGITS = 16;
/** An integer that a double might not hold is preceded by one of these. */
const WIDE_NUMBER = /(?:^|[:,[\s-])\d{16}/;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Whether there are 16 consecutive digits: one of them is at a multiple of 16, so only those positions are checked. */
function holdsManyDigits(text: string): boolean {
  for (let at = WIDE_DIGITS - 1; at < text.length; at += WIDE_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let [from, to] = [at, at + 1];
    while (from > 0 && isDigit(text.charCodeAt(from - 1))) from--;
    while (to < text.length && isDigit(text.charCodeAt(to))) to++;
    if (to - from >= WIDE_DIGITS) return true;
  }
  return false;
}

/** Parses JSON written by this software: exact integers, but no checks. */
export function parseStoredJson(json: Buffer | string): JsonObject {
  const text = typeof json === 'string' ? json : json.toString('utf8');
  const wide = holdsManyDigits(text) && WIDE_NUMBER.test(text);
  const quick = wide ? undefined : nativeJson(text);
  return (quick ?? new JsonReader(text, Number.POSITIVE_INFINITY).document()) as JsonObject;
}

/** Counts values of decoded JSON as {@link ParsedJson.values} does; stops at one beyond `most`. */
export function countValues(value: unknown, most: number): number {
  let values = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined && values <= most; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    values += Math.max(1, Array.isArray(next) ? openItems(next, open) : openMembers(next as JsonObject, open));
  }
  return values;
}

const mayHold = (value: unknown): boolean => typeof value === 'object' && value !== null;

function openItems(items: readonly unknown[], open: unknown[]): number {
  for (const item of items) if (mayHold(item)) open.push(item);
  return items.length;
}

/** In one go: a list of the values of very many members takes several times as long. */
function openMembers(object: JsonObject, open: unknown[]): number {
  let members = 0;
  for (const name in object) {
    members++;
    const member = object[name];
    if (mayHold(member)) open.push(member);
  }
  return members;
}

/** Whether decoded JSON that was changed since is nested deeper than a text may be. */
export function isTooDeep(value: JsonValue): boolean {
  const metadata = memberIn(value, 'metadata');
  const owners = memberIn(metadata, 'managedFields');
  if (owners === undefined) return isDeeper(value, DEFAULT_MAX_DEPTH);
  const plain = { ...(value as JsonObject), metadata: { ...(metadata as JsonObject), managedFields: null } };
  return isDeeper(plain, DEFAULT_MAX_DEPTH) || isDeeper(owners, DEFAULT_MAX_DEPTH + OWNERS_DEPTH - 2);
}

const memberIn = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isContainer(value) && !Array.isArray(value) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;

function isDeeper(value: unknown, most: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether JSON written by this software holds more values than a number. */
export function holdsMoreValues(json: Buffer, maxValues: number): boolean {
  // Each takes a byte, and another that ends it.
  if (json.length <= 2 * maxValues) return false;
  return scanJson(json.toString('latin1'), { maxDepth: Number.POSITIVE_INFINITY, maxValues }).values > maxValues;
}

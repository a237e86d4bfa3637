import type { JsonObject, JsonValue } from '@orch/machinery';
import { JsonSyntaxError } from './json-error.js';
import { type Duplicates, JsonReader } from './json-reader.js';
import { scanJson } from './scan.js';

/** What a text may ask of the reader; going beyond is a {@link JsonSyntaxError}. */
export interface JsonLimits {
  /** Deepest nesting of objects and arrays. Default 1000. */
  readonly maxDepth?: number;
  /** Longest input, bytes. Default: no limit. */
  readonly maxBytes?: number;
}

/** A text that was read. */
export interface ParsedJson {
  /** Integers beyond 2^53 are bigint. */
  readonly value: JsonValue;
  /** Names that stood more than once, by object (the last value won); absent when there were none. */
  readonly duplicates?: Duplicates;
}

const DEFAULT_MAX_DEPTH = 1000;

/** Escapes that may make a lone surrogate or spell `__proto__` in another way, and that name itself. */
const DELICATE = /\\u(?:[dD]|00)|__proto__/;

/**
 * Strict JSON (RFC 8259). Integers beyond 2^53 are bigint.
 *
 * The native parser does the work where its result is provably the one that the careful reader would give: no number
 * of 16 digits or more, no delicate escape, and as many members in the tree as colons in the text, so that no name
 * was repeated.
 * @throws JsonSyntaxError
 */
export function parseJson(input: Buffer | string, limits: JsonLimits = {}): ParsedJson {
  const { maxDepth = DEFAULT_MAX_DEPTH, maxBytes = Number.POSITIVE_INFINITY } = limits;
  if (input.length > maxBytes) throw new JsonSyntaxError(`input is longer than ${maxBytes} bytes`, maxBytes);
  const text = typeof input === 'string' ? input : input.toString('utf8');
  const quick = parseNatively(text, maxDepth);
  if (quick !== undefined) return { value: quick };
  const reader = new JsonReader(text, maxDepth);
  const value = reader.document();
  return reader.duplicates.size === 0 ? { value } : { value, duplicates: reader.duplicates };
}

/** undefined when the careful reader has to decide. */
function parseNatively(text: string, maxDepth: number): JsonValue | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const scan = scanJson(text);
  if (scan.wideNumber || scan.depth > maxDepth || DELICATE.test(text)) return undefined;
  return countMembers(value) === scan.members ? value : undefined;
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

/** Paths of repeated names (`spec.containers[0].image`), in the order of the document. */
export function duplicatePaths({ value, duplicates }: ParsedJson): string[] {
  const paths: string[] = [];
  const visit = (node: JsonValue | undefined, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
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
      if (repeated?.has(name)) paths.push(memberPath);
    }
  };
  if (duplicates) visit(value, '');
  return paths;
}

/** An integer that a double might not hold stands behind one of these. */
const WIDE_NUMBER = /(?:^|[:,[\s-])\d{16}/;

/** JSON that this software wrote itself: exact integers, but no checks. */
export function parseStoredJson(bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8');
  const value = WIDE_NUMBER.test(text) ? new JsonReader(text, Number.POSITIVE_INFINITY).document() : JSON.parse(text);
  return value as JsonObject;
}

import { stringifyJson } from '@orch/codec';
import type { JsonObject, JsonValue } from '@orch/machinery';
import type { Steps } from '@orch/schema';
import { sha512 } from './sha512.js';

/** Depth above which members are encoded one by one: paths, and models. */
const DEPTH = 3;
/** Characters that are made bytes together, at least. */
const PIECE = 64 << 10;

/** An encoded document. */
export interface JsonBytes {
  /** UTF-8 of its text. */
  readonly bytes: Buffer;
  /** SHA-512 of `bytes`, upper-case hexadecimal. */
  readonly hash: string;
}

/** The text of a document that may be very large, as `stringifyJson` writes it; a piece a step. */
export function* jsonBytes(document: JsonObject): Steps<JsonBytes> {
  const pieces: Buffer[] = [];
  let text = '';
  const flush = (): void => {
    pieces.push(Buffer.from(text));
    text = '';
  };
  for (const part of partsOf(document, DEPTH)) {
    text += part;
    if (text.length < PIECE) continue;
    flush();
    yield;
  }
  flush();
  const bytes = Buffer.concat(pieces);
  return { bytes, hash: yield* sha512(bytes) };
}

function* partsOf(value: JsonValue, depth: number): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield stringifyJson(value);
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${stringifyJson(name)}:`;
    yield* partsOf(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

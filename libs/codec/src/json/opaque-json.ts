import { isDeepStrictEqual } from 'node:util';
import { escapedAsInGo, goJson, type JsonValue, textOf } from '@orch/machinery';
import { JsonSyntaxError } from './json-error.js';
import { parseJson } from './parse-json.js';
import { spaceEnd, stringEnd } from './scan.js';

/**
 * Returns the JSON text of an opaque value: byte for byte as received if it is still that value, else as the reference
 * would write it. Values that clients compare byte by byte (`RawExtension`) must not change in transit.
 */
export function opaqueJson(value: unknown): string {
  const text = textOf(value);
  return text !== undefined && says(text, value) ? text : goJson(value as JsonValue);
}

function says(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(parseJson(text).value, value);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

/**
 * Returns an opaque text as the reference's encoder embeds it in a JSON document: without blanks, with the escapes that
 * it requires, and with names, numbers and other escapes as they are.
 */
export const embeddedJson = (text: string): string => escapedAsInGo(withoutBlanks(text));

function withoutBlanks(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at);
    else if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      parts.push(text.slice(from, at));
      from = spaceEnd(text, at);
      at = from - 1;
    }
  }
  return from === 0 ? text : `${parts.join('')}${text.slice(from)}`;
}

import type { JsonValue } from '@orch/machinery';

/**
 * Parses JSON by the native parser: integers beyond 2^53 are inexact. Undefined when it may have misread a name.
 * @throws SyntaxError
 */
export function nativeJson(text: string): JsonValue | undefined {
  const value = JSON.parse(text) as JsonValue;
  return MISREADS_NAMES && text.includes('\\') && namesHoldBackslash(value) ? undefined : value;
}

/**
 * After release 22, Node mistakes a name with escapes for another one that it has read before in such a place
 * (https://github.com/nodejs/node/issues/63785). It compares that one with the name as written in the text, backslashes
 * included; so the result for a misread name contains a backslash.
 */
const MISREADS_NAMES = Number.parseInt(process.versions.node, 10) > 22;

function namesHoldBackslash(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(namesHoldBackslash);
  for (const name in value) {
    if (name.includes('\\')) return true;
    const member = value[name];
    if (typeof member === 'object' && namesHoldBackslash(member)) return true;
  }
  return false;
}

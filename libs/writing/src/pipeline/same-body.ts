import { isDeepStrictEqual } from 'node:util';
import { parseStoredJson } from '@orch/codec';

/** Whether two stored bodies have equal content; the order of keys does not count. */
export function sameBody(a: Buffer, b: Buffer): boolean {
  if (a.length !== b.length) return false;
  if (a.equals(b)) return true;
  return mayBeOrder(a, b) && isDeepStrictEqual(parseStoredJson(a), parseStoredJson(b));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Whether two texts may differ in nothing but the order of keys: the first difference is then within the name of a
 * member. This tells nearly all different bodies apart without parsing them.
 */
function mayBeOrder(a: Buffer, b: Buffer): boolean {
  let at = 0;
  while (a[at] === b[at]) at++;
  let end = a.indexOf(QUOTE, at);
  while (end >= 0 && isEscaped(a, end)) end = a.indexOf(QUOTE, end + 1);
  return a[end + 1] === COLON;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: Buffer, at: number): boolean {
  let before = at - 1;
  while (text[before] === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

import { isDeepStrictEqual } from 'node:util';
import { parseStoredJson } from '@orch/codec';

/** Whether two stored bodies say the same; the order of keys does not count. */
export function sameBody(a: Buffer, b: Buffer): boolean {
  if (a.equals(b)) return true;
  // In another order the bytes are still the same ones; nearly all that differ are told apart by that, without a parse.
  if (a.length !== b.length || sumOf(a) !== sumOf(b)) return false;
  return isDeepStrictEqual(parseStoredJson(a), parseStoredJson(b));
}

/** Of the squares: bytes of one sum are common, as when two digits change places with two others. */
function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) sum += (bytes[at] as number) ** 2;
  return sum;
}

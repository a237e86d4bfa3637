import { isDeepStrictEqual } from 'node:util';
import { parseStoredJson } from '@orch/codec';

/** Whether two stored bodies say the same; the order of keys does not count. */
export function sameBody(a: Buffer, b: Buffer): boolean {
  if (a.equals(b)) return true;
  if (a.length !== b.length) return false;
  return isDeepStrictEqual(parseStoredJson(a), parseStoredJson(b));
}

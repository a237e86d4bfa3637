import type { Key } from '@orch/storage';

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Compares the UTF-8 bytes of two strings, using their UTF-16 units. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    let left = a.charCodeAt(index);
    let right = b.charCodeAt(index);
    if (left === right) continue;
    // Surrogates represent code points above the rest of the plane, though their units are lower.
    if (left >= SURROGATES && right >= SURROGATES) {
      left += left >= AFTER_SURROGATES ? -0x2000 : 0x2000;
      right += right >= AFTER_SURROGATES ? -0x2000 : 0x2000;
    }
    return left - right;
  }
  return a.length - b.length;
}

/** Compares keys in the order of lists: by namespace, then by name. */
export function compareKeys(a: Key, b: Key): number {
  return a.namespace === b.namespace ? compareBytes(a.name, b.name) : compareBytes(a.namespace, b.namespace);
}

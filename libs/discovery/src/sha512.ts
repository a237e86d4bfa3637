import { createHash } from 'node:crypto';
import type { Steps } from '@orch/schema';

/** Bytes that are hashed in a step: a few milliseconds' work. */
const STEP_BYTES = 1 << 20;

/** SHA-512, upper-case hexadecimal. */
export function* sha512(bytes: Buffer): Steps<string> {
  const hash = createHash('sha512');
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    hash.update(bytes.subarray(at, at + STEP_BYTES));
    yield;
  }
  return hash.digest('hex').toUpperCase();
}

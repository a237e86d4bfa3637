import type { Envelope } from '../envelope.js';

/**
 * Thrown when an envelope does not open: it was changed, or is of another object, or of another key of the same name.
 */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** A key's cipher. Its ciphertexts are bound to their objects: `identity` is part of the authenticated data. */
export interface KeyCipher {
  /** Returns the whole envelope. */
  seal(identity: Buffer, plain: Buffer): Buffer;
  /** @throws SealBrokenError */
  open(identity: Buffer, envelope: Envelope): Buffer;
}

import type { Envelope } from '../envelope.js';

/** An envelope does not open: it was changed, is of another object, or of another key of the same name. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** One key. What it encrypts is bound to the object that it is of: `identity` goes into what is authenticated. */
export interface KeyCipher {
  /** The whole envelope. */
  seal(identity: Buffer, plain: Buffer): Buffer;
  /** @throws SealBrokenError */
  open(identity: Buffer, envelope: Envelope): Buffer;
}

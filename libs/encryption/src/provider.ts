import type { Envelope } from './envelope.js';

/** Encrypts and decrypts bodies of some types. */
export interface BodyProvider {
  /** How metrics call it: as the reference calls what it writes before a body. */
  readonly prefix: string;
  /** Whether an envelope may be its own. */
  isFor(envelope: Envelope): boolean;
  /**
   * Encrypts into an envelope.
   * @param identity of the object: bound to it
   * @throws Error when the provider cannot encrypt
   */
  seal(identity: Buffer, plain: Buffer): Buffer;
  /** Decrypts an envelope. @throws Error that says what is wrong, also as the promise; a `GrpcError` of the service */
  open(identity: Buffer, envelope: Envelope): Buffer | Promise<Buffer>;
  /** Whether an envelope of its own, of the object that `identity` is, is made with the key that it encrypts with now. */
  isCurrent(envelope: Envelope, identity: Buffer): boolean;
}

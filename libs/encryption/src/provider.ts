import type { Envelope } from './envelope.js';

/** Encrypts and decrypts bodies of some types. */
export interface BodyProvider {
  /** Name in metrics: the reference's prefix of bodies. */
  readonly prefix: string;
  /** Whether an envelope may be the provider's own. */
  isFor(envelope: Envelope): boolean;
  /**
   * Encrypts into an envelope.
   * @param identity of the object: bound to it
   * @throws Error when the provider cannot encrypt
   */
  seal(identity: Buffer, plain: Buffer): Buffer;
  /** Decrypts an envelope. @throws Error that says what is wrong, also as the promise; a `GrpcError` of the service */
  open(identity: Buffer, envelope: Envelope): Buffer | Promise<Buffer>;
  /** Whether an own envelope, of the object with `identity`, is made with the key that it encrypts with now. */
  isCurrent(envelope: Envelope, identity: Buffer): boolean;
}

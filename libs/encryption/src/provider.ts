import type { Envelope } from './envelope.js';

/** What encrypts and decrypts bodies of some types. */
export interface BodyProvider {
  /** How metrics call it: as the reference calls what it writes before a body. */
  readonly prefix: string;
  /** Whether an envelope may be its own. */
  isFor(envelope: Envelope): boolean;
  /**
   * The envelope of what is encrypted.
   * @param identity what the object is: bound to it
   * @throws Error that tells what it lacks
   */
  seal(identity: Buffer, plain: Buffer): Buffer;
  /** @throws Error that tells what is wrong, also as the promise; a `GrpcError` of who has the key */
  open(identity: Buffer, envelope: Envelope): Buffer | Promise<Buffer>;
  /** Whether an envelope of its own, of the object that `identity` is, is made with the key that it encrypts with now. */
  isCurrent(envelope: Envelope, identity: Buffer): boolean;
}

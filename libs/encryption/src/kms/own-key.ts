import { randomBytes, timingSafeEqual } from 'node:crypto';
import { GrpcError } from '@orch/grpc';
import { GCM_KEY_BYTES, GcmKey } from '../ciphers/gcm.js';
import { headerOf } from '../envelope.js';
import type { EncryptionObserver } from '../observer.js';
import { checkWrapped } from './bounds.js';
import { isPassing, isUnanswered } from './failures.js';
import type { KmsClient } from './kms-client.js';
import { encodeWrappedKey, type WrappedKey } from './messages.js';

/** Bytes of the length before a wrapped key. */
export const LENGTH_BYTES = 4;

/** A key of this process that the service has decrypted correctly as a proof. */
export interface OwnKey {
  readonly key: GcmKey;
  /** Secret of `key`, of {@link GCM_KEY_BYTES}. */
  readonly bytes: Buffer;
  readonly wrapped: WrappedKey;
  /** Id of the service's key. */
  readonly keyId: string;
  /** The wrapped key as stored with bodies, one character per byte: identifies the key. */
  readonly text: string;
  /** Prefix of bodies: header, length, and the wrapped key. */
  readonly preamble: Buffer;
}

/** Thrown when a service did not decrypt a key that it has encrypted. */
export class KeyProofError extends Error {
  override readonly name = 'KeyProofError';
  /** Whether the failure may be transient. */
  readonly passing: boolean;
  /** Whether no answer about the key has come. */
  readonly unanswered: boolean;

  /** @param cause the service's error; none if it returned another key */
  constructor(message: string, cause?: GrpcError) {
    super(message, { cause });
    this.passing = cause !== undefined && isPassing(cause);
    this.unanswered = cause !== undefined && isUnanswered(cause);
  }
}

interface OwnKeysOptions {
  /** Name of the provider, as configured. */
  readonly name: string;
  readonly client: Pick<KmsClient, 'encrypt' | 'decrypt'>;
  readonly observer: EncryptionObserver;
}

/** Generates keys, and has a service encrypt them. */
export class OwnKeys {
  readonly #header: Buffer;

  constructor(private readonly options: OwnKeysOptions) {
    this.#header = headerOf('kms', options.name);
  }

  /**
   * Generates a key.
   * @param keyId of the key that the service must encrypt it with
   * @throws KeyProofError when the service does not decrypt what it has encrypted
   * @throws Error for other violations of the protocol
   */
  async draw(keyId: string): Promise<OwnKey> {
    const bytes = randomBytes(GCM_KEY_BYTES);
    const wrapped = await this.#wrap(bytes);
    if (wrapped.keyId !== keyId)
      throw new Error(
        `failed to rotate DEK, statusKeyID=${JSON.stringify(keyId)}, encryptKeyID=${JSON.stringify(wrapped.keyId)}`,
      );
    await this.prove({ bytes, wrapped });
    const block = encodeWrappedKey(wrapped);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(block.length);
    const preamble = Buffer.concat([this.#header, length, block]);
    return { key: new GcmKey(bytes), bytes, wrapped, keyId, text: block.toString('latin1'), preamble };
  }

  /**
   * Decrypts it again as a proof: bodies under a key that the service cannot decrypt would be lost with this process.
   * @throws KeyProofError
   */
  async prove({ bytes, wrapped }: Pick<OwnKey, 'bytes' | 'wrapped'>): Promise<void> {
    const what = `failed to verify encrypted DEK, keyID=${JSON.stringify(wrapped.keyId)}`;
    const decrypted = await this.options.client.decrypt(wrapped).catch((error: unknown) => {
      if (error instanceof GrpcError) throw new KeyProofError(`${what}, error: ${error.message}`, error);
      throw error;
    });
    if (decrypted.length !== bytes.length || !timingSafeEqual(decrypted, bytes))
      throw new KeyProofError(`${what}, error: the service decrypts what it has encrypted to something else`);
  }

  async #wrap(bytes: Buffer): Promise<WrappedKey> {
    const { client, observer } = this.options;
    const began = performance.now();
    try {
      const wrapped = await client.encrypt(bytes);
      checkWrapped(wrapped);
      observer.keyGenerated?.(performance.now() - began, false);
      return wrapped;
    } catch (cause) {
      observer.keyGenerated?.(performance.now() - began, true);
      throw new Error(`failed to encrypt DEK, error: ${(cause as Error).message}`, { cause });
    }
  }
}

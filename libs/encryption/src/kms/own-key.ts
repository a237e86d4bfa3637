import { randomBytes, timingSafeEqual } from 'node:crypto';
import { GCM_KEY_BYTES, GcmKey } from '../ciphers/gcm.js';
import { headerOf } from '../envelope.js';
import type { EncryptionObserver } from '../observer.js';
import { checkWrapped } from './bounds.js';
import { GrpcError } from './grpc-status.js';
import type { KmsClient } from './kms-client.js';
import { encodeWrappedKey, type WrappedKey } from './messages.js';

/** Bytes of the length before a wrapped key. */
export const LENGTH_BYTES = 4;

/** A key that this process has made, and that the service has decrypted again to what it was. */
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

/** A service did not give back a key that it has encrypted. */
export class KeyProofError extends Error {
  override readonly name = 'KeyProofError';
  /** Whether it may yet. */
  readonly passing: boolean;
  /** Whether no answer about the key has come. */
  readonly unanswered: boolean;

  /** @param cause what it was answered with; none where that was another key */
  constructor(message: string, cause?: GrpcError) {
    super(message, { cause });
    this.passing = cause?.passing ?? false;
    this.unanswered = cause?.unanswered ?? false;
  }
}

interface OwnKeysOptions {
  /** Name of the provider, as configured. */
  readonly name: string;
  readonly client: Pick<KmsClient, 'encrypt' | 'decrypt'>;
  readonly observer: EncryptionObserver;
}

/** Makes keys, and has a service encrypt them. */
export class OwnKeys {
  readonly #header: Buffer;

  constructor(private readonly options: OwnKeysOptions) {
    this.#header = headerOf('kms', options.name);
  }

  /**
   * A new one.
   * @param keyId of the key that the service has to encrypt it with
   * @throws KeyProofError where it does not decrypt again what it has encrypted
   * @throws Error for what else it does not do as it should
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

  /** Has it decrypted again: what the service could not decrypt would be lost with this process. @throws KeyProofError */
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

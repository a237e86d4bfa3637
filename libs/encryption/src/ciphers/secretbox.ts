import { createHmac } from 'node:crypto';
import { type Envelope, headerOf } from '../envelope.js';
import { type KeyCipher, SealBrokenError } from './cipher.js';
import { Nonces } from './nonces.js';

const NONCE_BYTES = 24;
const TAG_BYTES = 16;

/** The functions of libsodium for NaCl's secretbox. */
export type Sodium = Pick<
  typeof import('libsodium-wrappers').default,
  'crypto_secretbox_easy' | 'crypto_secretbox_open_easy'
>;

/** Loads and compiles libsodium, on demand as most configurations do not use it. */
export async function loadSodium(): Promise<Sodium> {
  const { default: sodium } = await import('libsodium-wrappers');
  await sodium.ready;
  return sodium;
}

/**
 * XSalsa20 and Poly1305, as NaCl's secretbox. That has no additional authenticated data: so each object has a key of
 * its own, derived from the configured one by HMAC-SHA256 over the object's identity.
 * Payload: nonce, tag, ciphertext.
 */
export class SecretboxCipher implements KeyCipher {
  readonly #header: Buffer;
  readonly #nonces = new Nonces(NONCE_BYTES);

  /** @param key 32 bytes */
  constructor(
    name: string,
    private readonly key: Buffer,
    private readonly sodium: Sodium,
  ) {
    this.#header = headerOf('secretbox', name);
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    const nonce = this.#nonces.next();
    const box = this.sodium.crypto_secretbox_easy(plain, nonce, this.#keyOf(this.#header, identity));
    return Buffer.concat([this.#header, nonce, box]);
  }

  open(identity: Buffer, { header, payload }: Envelope): Buffer {
    if (payload.length < NONCE_BYTES + TAG_BYTES) throw new SealBrokenError('it is cut off');
    const [nonce, box] = [payload.subarray(0, NONCE_BYTES), payload.subarray(NONCE_BYTES)];
    try {
      const plain = this.sodium.crypto_secretbox_open_easy(box, nonce, this.#keyOf(header, identity));
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
    } catch (cause) {
      throw new SealBrokenError('it is not what was encrypted', { cause });
    }
  }

  #keyOf(header: Buffer, identity: Buffer): Buffer {
    return createHmac('sha256', this.key).update('orch secretbox\0').update(header).update(identity).digest();
  }
}

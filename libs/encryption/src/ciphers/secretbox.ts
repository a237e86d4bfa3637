import { createHmac, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { type Envelope, headerOf } from '../envelope.js';
import { type KeyCipher, SealBrokenError } from './cipher.js';

const NONCE_BYTES = 24;
const TAG_BYTES = 16;

/**
 * XSalsa20 and Poly1305, as NaCl's secretbox. That has no room for what is authenticated and not encrypted: so each object has a key
 * of its own, made of the configured one by HMAC-SHA256 over what the object is.
 * Payload: nonce, tag, what is encrypted.
 */
export class SecretboxCipher implements KeyCipher {
  readonly #header: Buffer;

  /** @param key 32 bytes */
  constructor(
    name: string,
    private readonly key: Buffer,
  ) {
    this.#header = headerOf('secretbox', name);
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const box = xsalsa20poly1305(this.#keyOf(this.#header, identity), nonce).encrypt(plain);
    return Buffer.concat([this.#header, nonce, box]);
  }

  open(identity: Buffer, { header, payload }: Envelope): Buffer {
    if (payload.length < NONCE_BYTES + TAG_BYTES) throw new SealBrokenError('it is cut off');
    const box = xsalsa20poly1305(this.#keyOf(header, identity), payload.subarray(0, NONCE_BYTES));
    try {
      const plain = box.decrypt(payload.subarray(NONCE_BYTES));
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
    } catch (cause) {
      throw new SealBrokenError('it is not what was encrypted', { cause });
    }
  }

  #keyOf(header: Buffer, identity: Buffer): Buffer {
    return createHmac('sha256', this.key).update('orch secretbox\0').update(header).update(identity).digest();
  }
}

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { type Envelope, headerOf } from '../envelope.js';
import { type KeyCipher, SealBrokenError } from './cipher.js';
import { Nonces } from './nonces.js';

const ALGORITHM = 'aes-256-cbc';
const KEY_BYTES = 32;
const IV_BYTES = 16;
const MAC_BYTES = 32;

/**
 * AES-CBC, then HMAC-SHA256 over the ciphertext, each with a key of its own that is derived from the configured one.
 * (The reference authenticates nothing here, which makes the encryption unreliable: a body could be changed without its
 * key.)
 * Payload: initialization vector, ciphertext, MAC.
 */
export class AesCbcCipher implements KeyCipher {
  readonly #header: Buffer;
  readonly #encryption: Buffer;
  readonly #authentication: Buffer;
  readonly #ivs = new Nonces(IV_BYTES);

  /** @param key 16, 24 or 32 bytes */
  constructor(name: string, key: Buffer) {
    this.#header = headerOf('aescbc', name);
    this.#encryption = derived(key, 'orch aescbc encryption');
    this.#authentication = derived(key, 'orch aescbc authentication');
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    const iv = this.#ivs.next();
    const cipher = createCipheriv(ALGORITHM, this.#encryption, iv);
    const encrypted = [iv, cipher.update(plain), cipher.final()];
    return Buffer.concat([this.#header, ...encrypted, this.#mac(this.#header, identity, encrypted)]);
  }

  open(identity: Buffer, { header, payload }: Envelope): Buffer {
    const end = payload.length - MAC_BYTES;
    if (end < IV_BYTES) throw new SealBrokenError('it is cut off');
    const encrypted = payload.subarray(0, end);
    if (!timingSafeEqual(this.#mac(header, identity, [encrypted]), payload.subarray(end)))
      throw new SealBrokenError('it is not what was encrypted');
    const cipher = createDecipheriv(ALGORITHM, this.#encryption, encrypted.subarray(0, IV_BYTES));
    return Buffer.concat([cipher.update(encrypted.subarray(IV_BYTES)), cipher.final()]);
  }

  /** Authenticates the lengths first, so that no bytes can be moved from one part to the next. */
  #mac(header: Buffer, identity: Buffer, encrypted: readonly Buffer[]): Buffer {
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(header.length, 0);
    lengths.writeUInt32BE(identity.length, 4);
    const mac = createHmac('sha256', this.#authentication);
    for (const piece of [lengths, header, identity, ...encrypted]) mac.update(piece);
    return mac.digest();
  }
}

const derived = (key: Buffer, use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', use, KEY_BYTES));

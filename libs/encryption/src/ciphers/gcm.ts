import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SealBrokenError } from './cipher.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** Bytes of the nonce that are random; the rest counts. */
const RANDOM_BYTES = 4;
const TAG_BYTES = 16;

/** Bytes of a key for {@link GcmKey}. */
export const GCM_KEY_BYTES = 32;

/**
 * AES-256-GCM under a key that is used by this instance alone: nonces are counted, so that none repeats however much is
 * encrypted.
 * @param key of {@link GCM_KEY_BYTES}
 */
export class GcmKey {
  readonly #nonce = Buffer.alloc(NONCE_BYTES);
  #count = 0n;

  constructor(private readonly key: Buffer) {
    randomBytes(RANDOM_BYTES).copy(this.#nonce);
  }

  /** Encrypts behind `preamble`, which is authenticated too. */
  seal(preamble: Buffer, identity: Buffer, plain: Buffer): Buffer {
    this.#nonce.writeBigUInt64BE(this.#count++, RANDOM_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, this.#nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.concat([preamble, identity]));
    const encrypted = cipher.update(plain);
    cipher.final();
    return Buffer.concat([preamble, this.#nonce, encrypted, cipher.getAuthTag()]);
  }

  /** Decrypts. @throws SealBrokenError */
  open(preamble: Buffer, identity: Buffer, sealed: Buffer): Buffer {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealBrokenError('it is cut off');
    const end = sealed.length - TAG_BYTES;
    const cipher = createDecipheriv(ALGORITHM, this.key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.concat([preamble, identity]));
    cipher.setAuthTag(sealed.subarray(end));
    const plain = cipher.update(sealed.subarray(NONCE_BYTES, end));
    try {
      cipher.final();
    } catch (cause) {
      throw new SealBrokenError('it is not what was encrypted', { cause });
    }
    return plain;
  }
}

import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Envelope, headerOf } from '../envelope.js';
import { type KeyCipher, SealBrokenError } from './cipher.js';
import { GCM_KEY_BYTES, GcmKey } from './gcm.js';

const SALT_BYTES = 16;
/** Number of cached keys: one for each process that has written bodies which are read. */
const KEPT = 1_000;

/**
 * AES-GCM under a key that is derived from the configured one and a random salt of each process. So no number of writes
 * exhausts the configured key, and independent processes never share a nonce.
 * Payload: salt, nonce, ciphertext, tag.
 */
export class AesGcmCipher implements KeyCipher {
  readonly #derived = new LRUCache<string, GcmKey>({ max: KEPT });
  readonly #own: GcmKey;
  /** The header and this process's salt. */
  readonly #preamble: Buffer;

  /** @param key 16, 24 or 32 bytes */
  constructor(
    name: string,
    private readonly key: Buffer,
  ) {
    const salt = randomBytes(SALT_BYTES);
    this.#preamble = Buffer.concat([headerOf('aesgcm', name), salt]);
    this.#own = this.#keyOf(salt);
  }

  seal(identity: Buffer, plain: Buffer): Buffer {
    return this.#own.seal(this.#preamble, identity, plain);
  }

  open(identity: Buffer, { header, payload }: Envelope): Buffer {
    if (payload.length < SALT_BYTES) throw new SealBrokenError('it is cut off');
    const salt = payload.subarray(0, SALT_BYTES);
    return this.#keyOf(salt).open(Buffer.concat([header, salt]), identity, payload.subarray(SALT_BYTES));
  }

  #keyOf(salt: Buffer): GcmKey {
    const text = salt.toString('latin1');
    const known = this.#derived.get(text);
    if (known) return known;
    const derived = new GcmKey(Buffer.from(hkdfSync('sha256', this.key, salt, 'orch aesgcm', GCM_KEY_BYTES)));
    this.#derived.set(text, derived);
    return derived;
  }
}

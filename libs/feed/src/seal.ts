import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** A key in the form for computing seals. */
export interface SealingKey {
  /** In 32 bits. */
  readonly id: number;
  readonly key: KeyObject;
}

/** @param secret 32 bytes */
export const sealingKey = (id: number, secret: Buffer): SealingKey => ({ id, key: createSecretKey(secret) });

/** Why a message is refused: it has no seal, one by a key that is not known (any more), or one that does not match. */
export type SealRefusal = 'unsigned' | 'unknown-key' | 'forged';

const MAC_BYTES = 32;
/** Fields 3 and 4 of `orch.feed.ChangeBatch`: readers that do not know seals skip them. */
const KEY_TAG = (3 << 3) | 5;
const MAC_TAG = (4 << 3) | 2;
const KEY_FIELD_BYTES = 5;
const MAC_FIELD_BYTES = 2 + MAC_BYTES;

/** Bytes that a seal adds to a message. */
export const SEAL_BYTES = KEY_FIELD_BYTES + MAC_FIELD_BYTES;

/** Authenticates messages: HMAC-SHA256 over the installation, the message, and the key's id. */
export class Seal {
  readonly #context: Buffer;

  /** @param installation id of the cluster that messages are for */
  constructor(installation: string) {
    this.#context = Buffer.from(`orch.feed.ChangeBatch\0${installation}\0`);
  }

  /** Returns the message with its seal appended. */
  put(message: Uint8Array, { id, key }: SealingKey): Buffer {
    const sealed = Buffer.allocUnsafe(message.length + SEAL_BYTES);
    sealed.set(message);
    const keyAt = sealed.writeUInt8(KEY_TAG, message.length);
    const macAt = sealed.writeUInt32LE(id, keyAt);
    const mac = this.#mac(sealed.subarray(0, macAt), key);
    sealed.set(mac, sealed.writeUInt8(MAC_BYTES, sealed.writeUInt8(MAC_TAG, macAt)));
    return sealed;
  }

  /** Returns the message without its seal, or why it is refused. */
  check(sealed: Uint8Array, keyOf: (id: number) => SealingKey | undefined): Uint8Array | SealRefusal {
    const end = sealed.length - SEAL_BYTES;
    const macAt = end + KEY_FIELD_BYTES;
    if (end < 0 || sealed[end] !== KEY_TAG || sealed[macAt] !== MAC_TAG || sealed[macAt + 1] !== MAC_BYTES)
      return 'unsigned';
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const key = keyOf(bytes.readUInt32LE(end + 1));
    if (key === undefined) return 'unknown-key';
    const mac = this.#mac(bytes.subarray(0, macAt), key.key);
    return timingSafeEqual(mac, bytes.subarray(macAt + 2)) ? sealed.subarray(0, end) : 'forged';
  }

  #mac(message: Buffer, key: KeyObject): Buffer {
    return createHmac('sha256', key).update(this.#context).update(message).digest();
  }
}

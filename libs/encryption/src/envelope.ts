import { isSealed, SEALED } from '@orch/storage';

/** Version of the format; there is only one. */
const FORM = 1;

/** Numbers of the ciphers in envelopes. Never renumbered. */
const CIPHERS = { aescbc: 1, aesgcm: 2, secretbox: 3, kms: 4 } as const;
/** Name of a cipher in the configuration. */
export type CipherName = keyof typeof CIPHERS;

const NAMES = new Map(Object.entries(CIPHERS).map(([name, number]) => [number as number, name as CipherName]));

/** Bytes before the name: {@link SEALED}, {@link FORM}, the cipher, and the length of the name. */
const NAME_AT = 5;

/** A parsed sealed body: its cipher, its key, and the ciphertext. */
export interface Envelope {
  readonly cipher: CipherName;
  /** Name of the key; for a key management service the configured name of the provider. */
  readonly name: string;
  /** Encoded header before the payload: it is authenticated too. */
  readonly header: Buffer;
  readonly payload: Buffer;
}

/** Returns the prefix of a key's envelopes. */
export function headerOf(cipher: CipherName, name: string): Buffer {
  const bytes = Buffer.from(name);
  const header = Buffer.alloc(NAME_AT + bytes.length);
  header.writeUInt8(SEALED, 0);
  header.writeUInt8(FORM, 1);
  header.writeUInt8(CIPHERS[cipher], 2);
  header.writeUInt16BE(bytes.length, 3);
  bytes.copy(header, NAME_AT);
  return header;
}

/** Parses a stored form; undefined if it is no envelope of this release. */
export function envelopeOf(stored: Buffer): Envelope | undefined {
  if (!isSealed(stored) || stored.length < NAME_AT || stored[1] !== FORM) return undefined;
  const cipher = NAMES.get(stored.readUInt8(2));
  const end = NAME_AT + stored.readUInt16BE(3);
  if (cipher === undefined || stored.length < end) return undefined;
  return {
    cipher,
    name: stored.toString('utf8', NAME_AT, end),
    header: stored.subarray(0, end),
    payload: stored.subarray(end),
  };
}

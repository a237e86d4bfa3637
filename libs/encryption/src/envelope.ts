import { isSealed, SEALED } from '@orch/storage';

/** The only form there is. */
const FORM = 1;

/** Numbers of the ciphers in envelopes. Never renumbered. */
const CIPHERS = { aescbc: 1, aesgcm: 2, secretbox: 3, kms: 4 } as const;
/** Name of a cipher in the configuration. */
export type CipherName = keyof typeof CIPHERS;

const NAMES = new Map(Object.entries(CIPHERS).map(([name, number]) => [number as number, name as CipherName]));

/** Before the name: {@link SEALED}, {@link FORM}, the cipher, and how long the name is. */
const NAME_AT = 5;

/** A sealed body, taken apart: which cipher, which key, and what that has made. */
export interface Envelope {
  readonly cipher: CipherName;
  /** Name of the key; for a key management service the configured name of the provider. */
  readonly name: string;
  /** Encoded header before the payload: it is authenticated too. */
  readonly header: Buffer;
  readonly payload: Buffer;
}

/** How the envelopes of a key begin. */
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

/** Takes a stored form apart; undefined where it is no envelope of this release. */
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

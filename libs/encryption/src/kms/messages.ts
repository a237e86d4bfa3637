import { Reader, Writer } from 'protobufjs/minimal.js';

/** The service of KMS plugins, version 2 (k8s.io/kms, apis/v2/api.proto). Its few field numbers are hard-coded. */
export const SERVICE = 'v2.KeyManagementService';

/** Status of a plugin. */
export interface StatusResponse {
  readonly version: string;
  /** `ok`, or the problem. */
  readonly healthz: string;
  /** Id of the key that it encrypts with now. */
  readonly keyId: string;
}

/** Annotations by name; their values are opaque. */
type Annotations = ReadonlyMap<string, Buffer>;

/** A key as encrypted by the service, with the data for decrypting it. */
export interface WrappedKey {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly annotations: Annotations;
}

const bytes = (field: number): number => (field << 3) | 2;

const owned = (value: Uint8Array): Buffer => Buffer.from(value);

/** Calls back for each field of bytes, with its reader; skips all others. */
function eachField(message: Uint8Array, take: (field: number, value: () => Uint8Array) => void): void {
  const reader = Reader.create(message);
  while (reader.pos < reader.len) {
    const key = reader.uint32();
    if ((key & 7) !== 2) {
      reader.skipType(key & 7);
      continue;
    }
    const value = reader.bytes();
    take(key >>> 3, () => value);
  }
}

/** Encodes a StatusRequest, which has no fields. */
export const encodeStatusRequest = (): Uint8Array => Writer.create().finish();

/** Decodes a StatusResponse. */
export function decodeStatusResponse(message: Uint8Array): StatusResponse {
  const texts = ['', '', '', ''];
  eachField(message, (field, value) => {
    if (field >= 1 && field <= 3) texts[field] = owned(value()).toString();
  });
  const [, version = '', healthz = '', keyId = ''] = texts;
  return { version, healthz, keyId };
}

/** @param uid identifies this call in logs */
export const encodeEncryptRequest = (plaintext: Buffer, uid: string): Uint8Array =>
  Writer.create().uint32(bytes(1)).bytes(plaintext).uint32(bytes(2)).string(uid).finish();

/** Decodes an EncryptResponse to the wrapped key. */
export function decodeEncryptResponse(message: Uint8Array): WrappedKey {
  let ciphertext: Buffer = Buffer.alloc(0);
  let keyId = '';
  const annotations = new Map<string, Buffer>();
  eachField(message, (field, value) => {
    if (field === 1) ciphertext = owned(value());
    else if (field === 2) keyId = owned(value()).toString();
    else if (field === 3) annotations.set(...decodeEntry(value()));
  });
  return { ciphertext, keyId, annotations };
}

/** @param uid identifies this call in logs */
export function encodeDecryptRequest({ ciphertext, keyId, annotations }: WrappedKey, uid: string): Uint8Array {
  const writer = Writer.create().uint32(bytes(1)).bytes(ciphertext);
  writer.uint32(bytes(2)).string(uid).uint32(bytes(3)).string(keyId);
  return encodeAnnotations(writer, 4, annotations).finish();
}

/** Decodes a DecryptResponse to the plaintext. */
export function decodeDecryptResponse(message: Uint8Array): Buffer {
  let plaintext: Buffer = Buffer.alloc(0);
  eachField(message, (field, value) => {
    if (field === 1) plaintext = owned(value());
  });
  return plaintext;
}

/**
 * Encodes the message of a plugin's answer, which is also the form of a wrapped key in envelopes. Annotations are in
 * the order of their names.
 */
export function encodeWrappedKey({ ciphertext, keyId, annotations }: WrappedKey): Buffer {
  const writer = Writer.create().uint32(bytes(1)).bytes(ciphertext).uint32(bytes(2)).string(keyId);
  return owned(encodeAnnotations(writer, 3, annotations).finish());
}

function encodeAnnotations(writer: Writer, field: number, annotations: Annotations): Writer {
  for (const [name, value] of [...annotations].sort(([a], [b]) => (a < b ? -1 : 1)))
    writer.uint32(bytes(field)).fork().uint32(bytes(1)).string(name).uint32(bytes(2)).bytes(value).ldelim();
  return writer;
}

function decodeEntry(entry: Uint8Array): [name: string, value: Buffer] {
  let name = '';
  let bytesOf: Buffer = Buffer.alloc(0);
  eachField(entry, (field, value) => {
    if (field === 1) name = owned(value()).toString();
    else if (field === 2) bytesOf = owned(value());
  });
  return [name, bytesOf];
}

import type { ApiObject } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { decodeObject, type ProtobufLimits } from './decode-object.js';
import { ProtobufError } from './protobuf-error.js';
import { LENGTH_DELIMITED } from './wire.js';
import { WireReader } from './wire-reader.js';

/** Prefix of every binary document (spec: "Protobuf envelope"). */
const PROTOBUF_PREFIX: Readonly<Uint8Array> = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

const NOTHING: Buffer = Buffer.alloc(0);

/** An object in its binary form, with its type, which the form lacks (`runtime.Unknown`). */
export interface Unknown {
  /** `group/version`, or the version alone in the core group; empty when the envelope names none. */
  readonly apiVersion: string;
  /** Empty when the envelope names none. */
  readonly kind: string;
  /** The binary form of the object. */
  readonly raw: Uint8Array;
}

/** A received envelope, whose object is not decoded yet. */
export interface DecodedUnknown extends Unknown {
  readonly raw: Buffer;
  /** Content encoding; empty for none. */
  readonly contentEncoding: string;
  /** Content type; empty for the binary form. */
  readonly contentType: string;
}

/** The document of an object: prefix and envelope around its binary form. */
export function encodeUnknown({ apiVersion, kind, raw }: Unknown): Buffer {
  const [versionSize, kindSize] = [Buffer.byteLength(apiVersion), Buffer.byteLength(kind)];
  const typeSize = 2 + varintSize(versionSize) + versionSize + varintSize(kindSize) + kindSize;
  const size = 4 + 1 + varintSize(typeSize) + typeSize + 1 + varintSize(raw.length) + raw.length + 4;
  const out = Buffer.allocUnsafe(size);
  out.set(PROTOBUF_PREFIX, 0);
  let at = writeHead(out, 4, 1, typeSize);
  at = writeHead(out, at, 1, versionSize);
  at += out.write(apiVersion, at);
  at = writeHead(out, at, 2, kindSize);
  at += out.write(kind, at);
  at = writeHead(out, at, 2, raw.length);
  out.set(raw, at);
  at = writeHead(out, at + raw.length, 3, 0);
  writeHead(out, at, 4, 0);
  return out;
}

/** Envelope around the binary form of an object, for objects that come in pieces. */
export interface UnknownFrame {
  /** Bytes before the binary form: prefix, type, and the length. */
  readonly head: Buffer;
  /** Bytes after it. */
  readonly tail: Buffer;
}

/** Returns the envelope of {@link encodeUnknown} for a binary form of a length below 2^32. */
export function unknownFrame(type: Omit<Unknown, 'raw'>, rawLength: number): UnknownFrame {
  const empty = encodeUnknown({ ...type, raw: NOTHING });
  const start = empty.length - TAIL_BYTES - 2;
  const length = Buffer.allocUnsafe(1 + varintSize(rawLength));
  writeHead(length, 0, 2, rawLength);
  return { head: Buffer.concat([empty.subarray(0, start), length]), tail: empty.subarray(-TAIL_BYTES) };
}

/** Two empty fields. */
const TAIL_BYTES = 4;

/** @throws ProtobufError for another prefix or an invalid envelope, TooManyValuesError for one with too many fields. */
export function decodeUnknown(bytes: Uint8Array, limits: ProtobufLimits = {}): DecodedUnknown {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 4 || PROTOBUF_PREFIX.some((byte, i) => buffer[i] !== byte)) {
    throw new ProtobufError('the document does not begin with the four bytes of the binary form');
  }
  if (buffer.length === PROTOBUF_PREFIX.length) throw new ProtobufError('the document is empty');
  const found = { apiVersion: '', kind: '', raw: NOTHING, contentEncoding: '', contentType: '' };
  const reader = new WireReader(buffer, limits.maxValues);
  reader.pos = 4;
  eachField(reader, (number) => {
    if (number === 1) readTypeMeta(reader, found);
    else if (number === 2) found.raw = reader.bytes();
    else if (number === 3) found.contentEncoding = reader.string();
    else if (number === 4) found.contentType = reader.string();
    else return false;
    return true;
  });
  return found;
}

function readTypeMeta(reader: WireReader, into: { apiVersion: string; kind: string }): void {
  const outer = reader.enter();
  eachField(reader, (number) => {
    if (number === 1) into.apiVersion = reader.string();
    else if (number === 2) into.kind = reader.string();
    else return false;
    return true;
  });
  reader.leave(outer);
}

/** Calls back for length-delimited fields; others are skipped. */
function eachField(reader: WireReader, take: (number: number) => boolean): void {
  while (reader.pos < reader.end) {
    reader.count();
    const tag = reader.uint32();
    if ((tag & 7) !== LENGTH_DELIMITED || !take(tag >>> 3)) reader.skip(tag & 7);
  }
}

/**
 * Decodes a whole document as an object of the schema, with the type in its envelope.
 * @throws ProtobufError for an invalid document, TooManyValuesError
 */
export function decodeProtobufObject(schema: StructSchema, bytes: Uint8Array, limits?: ProtobufLimits): ApiObject {
  const { apiVersion, kind, raw, contentEncoding, contentType } = decodeUnknown(bytes, limits);
  if (contentEncoding !== '') throw new ProtobufError(`content encoding ${contentEncoding} is not supported`);
  if (contentType !== '' && !contentType.includes('protobuf')) {
    throw new ProtobufError(`content type ${contentType} within the binary form is not supported`);
  }
  return decodeObject(schema, raw, { ...(apiVersion && { apiVersion }), ...(kind && { kind }) }, limits);
}

/** Bytes that a varint below 2^32 takes. */
export function varintSize(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}

/** Writes tag and length of a length-delimited field below 16; returns the offset of its content. */
export function writeHead(out: Buffer, at: number, fieldNumber: number, length: number): number {
  let pos = at;
  out[pos++] = fieldNumber * 8 + LENGTH_DELIMITED;
  let rest = length;
  for (; rest > 127; rest >>>= 7) out[pos++] = (rest & 127) | 128;
  out[pos++] = rest;
  return pos;
}

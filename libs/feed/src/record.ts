import { type BodyCodec, type Change, type SplitBody, type TypeId, UNDIVIDED } from '@orch/storage';
import { Reader, Writer } from 'protobufjs/minimal.js';
import type { AnnouncedChange } from './feed.js';

/** Thrown for bytes that were not written by `encodeBatch`. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';
}

const OPERATIONS = ['create', 'update', 'delete'] as const;

/** Half of the largest version: restarting above the highest announced one must always be possible. */
const MAX_VERSION = 2n ** 62n;

/**
 * Encodes changes of one type into messages of at most `limit` bytes each, of `proto/orch/feed.proto`, whose field
 * numbers are hard-coded here: a hot path. A change whose body does not fit on its own is sent without it.
 * @param omitBodies omits all bodies
 * @param codec encodes bodies as they are in the database, so that servers of the previous release read what they would
 * read there
 */
export function encodeBatches(
  changes: readonly Change[],
  limit: number,
  omitBodies = false,
  codec: BodyCodec = UNDIVIDED,
): Uint8Array[] {
  const batches: Uint8Array[] = [];
  let writer: Writer | undefined;
  for (const change of changes) {
    let record = encodeRecord(change, omitBodies, codec);
    if (record.length + FRAMING > limit) record = encodeRecord(change, true, codec);
    if (writer !== undefined && writer.pos + record.length + FRAMING > limit) {
      batches.push(writer.finish());
      writer = undefined;
    }
    writer ??= Writer.create().uint32(BATCH_TYPE).uint32(change.type);
    writer.uint32(BATCH_CHANGES).bytes(record);
  }
  if (writer !== undefined) batches.push(writer.finish());
  return batches;
}

/**
 * @param codec the one that divided the bodies
 * @throws MalformedRecordError
 */
export function decodeBatch(payload: Uint8Array, codec: BodyCodec = UNDIVIDED): AnnouncedChange[] {
  try {
    const reader = Reader.create(payload);
    const changes: AnnouncedChange[] = [];
    let type: TypeId = 0;
    while (reader.pos < reader.len) {
      const key = reader.uint32();
      if (key === BATCH_TYPE) type = reader.uint32();
      else if (key === BATCH_CHANGES) changes.push(decodeRecord(reader, reader.uint32() + reader.pos, type, codec));
      else reader.skipType(key & 7);
    }
    return changes;
  } catch (cause) {
    throw new MalformedRecordError('not a batch of change records', { cause });
  }
}

const VARINT = 0;
const BYTES = 2;
const tag = (field: number, wireType: number): number => (field << 3) | wireType;

const BATCH_TYPE = tag(1, VARINT);
const BATCH_CHANGES = tag(2, BYTES);

const VERSION = tag(1, VARINT);
const PREVIOUS = tag(2, VARINT);
const OPERATION = tag(3, VARINT);
const NAMESPACE = tag(4, BYTES);
const NAME = tag(5, BYTES);
const UID = tag(6, BYTES);
const AT = tag(7, VARINT);
const BODY = tag(8, BYTES);
const BODY_OMITTED = tag(9, VARINT);
const STORED_VERSION = tag(10, BYTES);
const OWNERS = tag(11, BYTES);
const DEFAULTS = tag(12, VARINT);

/** Bytes of a batch beside its records, at most: the type, and a tag and length. */
const FRAMING = 12;

function encodeRecord(change: Change, omitBody: boolean, codec: BodyCodec): Uint8Array {
  const writer = Writer.create();
  writeUint64(writer.uint32(VERSION), change.version);
  writeUint64(writer.uint32(PREVIOUS), change.previous);
  writer.uint32(OPERATION).uint32(OPERATIONS.indexOf(change.op) + 1);
  if (change.namespace !== '') writer.uint32(NAMESPACE).string(change.namespace);
  writer.uint32(NAME).string(change.name);
  writer.uint32(UID).string(change.uid);
  writeUint64(writer.uint32(AT), BigInt(Math.trunc(change.at)));
  if (omitBody) writer.uint32(BODY_OMITTED).bool(true);
  else writeBody(writer, codec.split(change.body));
  if (change.storedVersion !== '') writer.uint32(STORED_VERSION).string(change.storedVersion);
  if (change.defaults !== 0) writer.uint32(DEFAULTS).uint32(change.defaults);
  return writer.finish();
}

function writeBody(writer: Writer, { body, owners }: SplitBody): void {
  writer.uint32(BODY).bytes(body);
  if (owners !== null) writer.uint32(OWNERS).bytes(owners);
}

function decodeRecord(reader: Reader, end: number, type: TypeId, codec: BodyCodec): AnnouncedChange {
  let version = 0n;
  let previous = 0n;
  let op: Change['op'] | undefined;
  let namespace = '';
  let name = '';
  let uid = '';
  let at = 0;
  let stored: Buffer = Buffer.alloc(0);
  let bodyOmitted = false;
  let owners: Buffer | undefined;
  let storedVersion = '';
  let defaults = 0;
  if (end > reader.len) throw new RangeError('record exceeds its batch');
  while (reader.pos < end) {
    const key = reader.uint32();
    if (key === VERSION) version = readUint64(reader);
    else if (key === PREVIOUS) previous = readUint64(reader);
    else if (key === OPERATION) op = OPERATIONS[reader.uint32() - 1];
    else if (key === NAMESPACE) namespace = reader.string();
    else if (key === NAME) name = reader.string();
    else if (key === UID) uid = reader.string();
    else if (key === AT) at = Number(readUint64(reader));
    else if (key === BODY) stored = viewOf(reader.bytes());
    else if (key === OWNERS) owners = viewOf(reader.bytes());
    else if (key === BODY_OMITTED) bodyOmitted = reader.bool();
    else if (key === STORED_VERSION) storedVersion = reader.string();
    else if (key === DEFAULTS) defaults = reader.uint32();
    else reader.skipType(key & 7);
  }
  const whole = owners === undefined ? stored : codec.join(stored, owners);
  // A copy, unless it is one: a body is kept for minutes and must not retain the whole message.
  const body = whole.buffer === stored.buffer ? Buffer.from(whole) : whole;
  const isPossible = version > previous && version < MAX_VERSION;
  if (reader.pos !== end || type === 0 || op === undefined || !isPossible || name === '') {
    throw new RangeError('record is incomplete or impossible');
  }
  const change = { type, version, previous, op, namespace, name, uid, storedVersion, defaults, body, at };
  return bodyOmitted ? { ...change, bodyOmitted } : change;
}

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** Writes halves: the library takes 64 bits in this way without floating point. */
function writeUint64(writer: Writer, value: bigint): void {
  writer.uint64({
    low: Number(BigInt.asIntN(32, value)),
    high: Number(BigInt.asIntN(32, value >> 32n)),
    unsigned: true,
  });
}

/** Four groups of seven bits are collected as a number, the rest as a bigint: common short numbers stay cheap. */
function readUint64(reader: Reader): bigint {
  const { buf } = reader;
  let low = 0;
  let value = 0n;
  for (let index = 0; index < 10; index++) {
    if (reader.pos >= reader.len) throw new RangeError('truncated number');
    const byte = buf[reader.pos++] ?? 0;
    if (index < 4) low |= (byte & 0x7f) << (7 * index);
    else value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return BigInt.asUintN(64, value | BigInt(low));
  }
  throw new RangeError('number longer than 64 bits');
}

import type { Change, TypeId } from '@orch/storage';
import { Reader, Writer } from 'protobufjs/minimal.js';
import type { AnnouncedChange } from './feed.js';

/** Bytes that were not written by `encodeBatch`. */
export class MalformedRecordError extends Error {
  override readonly name = 'MalformedRecordError';
}

const OPERATIONS = ['create', 'update', 'delete'] as const;

/** Some changes of one type as one message of `proto/orch/feed.proto`, whose field numbers stand here by hand: a hot path. */
export interface EncodedBatch {
  readonly payload: Uint8Array;
  /** The change that the last record tells of. */
  readonly last: Change;
}

/**
 * Encodes changes of one type into messages of at most `limit` bytes each.
 * A change whose body does not fit on its own travels without.
 */
export function encodeBatches(changes: readonly Change[], limit: number): EncodedBatch[] {
  const batches: EncodedBatch[] = [];
  let writer = Writer.create();
  let last: Change | undefined;
  for (const change of changes) {
    let record = encodeRecord(change, false);
    if (record.length + FRAMING > limit) record = encodeRecord(change, true);
    if (last !== undefined && writer.pos + record.length + FRAMING > limit) {
      batches.push({ payload: writer.finish(), last });
      writer = Writer.create();
    }
    writer.uint32(tag(1, 2)).bytes(record);
    last = change;
  }
  if (last !== undefined) batches.push({ payload: writer.finish(), last });
  return batches;
}

/**
 * @throws MalformedRecordError
 */
export function decodeBatch(payload: Uint8Array): AnnouncedChange[] {
  try {
    const reader = Reader.create(payload);
    const changes: AnnouncedChange[] = [];
    while (reader.pos < reader.len) {
      const key = reader.uint32();
      if (key === tag(1, 2)) changes.push(decodeRecord(reader, reader.uint32() + reader.pos));
      else reader.skipType(key & 7);
    }
    return changes;
  } catch (cause) {
    throw new MalformedRecordError('not a batch of change records', { cause });
  }
}

/** Tag and length of a record within its batch, at most. */
const FRAMING = 6;

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function encodeRecord(change: Change, omitBody: boolean): Uint8Array {
  const writer = Writer.create();
  writer.uint32(tag(1, 0)).uint32(change.type);
  writeUint64(writer.uint32(tag(2, 0)), change.version);
  writeUint64(writer.uint32(tag(3, 0)), change.previous);
  writer.uint32(tag(4, 0)).uint32(OPERATIONS.indexOf(change.op) + 1);
  if (change.namespace !== '') writer.uint32(tag(5, 2)).string(change.namespace);
  writer.uint32(tag(6, 2)).string(change.name);
  writer.uint32(tag(7, 2)).string(change.uid);
  writeUint64(writer.uint32(tag(8, 0)), BigInt(Math.trunc(change.at)));
  if (omitBody) writer.uint32(tag(10, 0)).bool(true);
  else writer.uint32(tag(9, 2)).bytes(change.body);
  return writer.finish();
}

function decodeRecord(reader: Reader, end: number): AnnouncedChange {
  let type: TypeId = 0;
  let version = 0n;
  let previous = 0n;
  let op: Change['op'] | undefined;
  let namespace = '';
  let name = '';
  let uid = '';
  let at = 0;
  let body: Buffer = Buffer.alloc(0);
  let bodyOmitted = false;
  if (end > reader.len) throw new RangeError('record exceeds its batch');
  while (reader.pos < end) {
    const key = reader.uint32();
    switch (key) {
      case tag(1, 0):
        type = reader.uint32();
        break;
      case tag(2, 0):
        version = readUint64(reader);
        break;
      case tag(3, 0):
        previous = readUint64(reader);
        break;
      case tag(4, 0):
        op = OPERATIONS[reader.uint32() - 1];
        break;
      case tag(5, 2):
        namespace = reader.string();
        break;
      case tag(6, 2):
        name = reader.string();
        break;
      case tag(7, 2):
        uid = reader.string();
        break;
      case tag(8, 0):
        at = Number(BigInt.asIntN(64, readUint64(reader)));
        break;
      case tag(9, 2):
        body = ownBytes(reader.bytes());
        break;
      case tag(10, 0):
        bodyOmitted = reader.bool();
        break;
      default:
        reader.skipType(key & 7);
    }
  }
  if (op === undefined || version === 0n || name === '') throw new RangeError('record is incomplete');
  const change = { type, version, previous, op, namespace, name, uid, body, at };
  return bodyOmitted ? { ...change, bodyOmitted } : change;
}

/** A copy: a body is kept for minutes and must not hold on to the whole message that brought it. */
function ownBytes(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes);
}

/** As halves: the library takes 64 bits so without going through floating point. */
function writeUint64(writer: Writer, value: bigint): void {
  writer.uint64({
    low: Number(BigInt.asIntN(32, value)),
    high: Number(BigInt.asIntN(32, value >> 32n)),
    unsigned: true,
  });
}

/** Four groups of seven bits are gathered as a number, the rest as a bigint: the common short numbers stay cheap. */
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

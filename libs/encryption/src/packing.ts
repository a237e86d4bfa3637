import type { BodyCodec } from '@orch/storage';

/** First byte of a divided body. No JSON text has it. */
const DIVIDED = 0x01;
const BODY_AT = 5;

/** Packs a body for encryption: with its owners in few bytes, as a plain row stores them in a column of their own. */
export function pack(body: Buffer, codec: BodyCodec): Buffer {
  const { body: rest, owners } = codec.split(body);
  if (owners === null && body[0] !== DIVIDED) return body;
  const own = owners ?? Buffer.alloc(0);
  const packed = Buffer.allocUnsafe(BODY_AT + own.length + rest.length);
  packed.writeUInt8(DIVIDED, 0);
  packed.writeUInt32BE(own.length, 1);
  own.copy(packed, BODY_AT);
  rest.copy(packed, BODY_AT + own.length);
  return packed;
}

/** Unpacks a body. @throws RangeError for other bytes */
export function unpack(packed: Buffer, codec: BodyCodec): Buffer {
  if (packed[0] !== DIVIDED) return packed;
  const end = BODY_AT + packed.readUInt32BE(1);
  if (end > packed.length) throw new RangeError('a body is cut off');
  const body = packed.subarray(end);
  return end === BODY_AT ? body : codec.join(body, packed.subarray(BODY_AT, end));
}

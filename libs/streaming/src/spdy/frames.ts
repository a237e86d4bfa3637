/** Value of `Upgrade` for SPDY/3.1. */
export const SPDY = 'SPDY/3.1';

/** Types of control frames (SPDY/3.1, section 2.6). */
export const [SYN_STREAM, SYN_REPLY, RST_STREAM, PING] = [1, 2, 3, 6] as const;
/** Reasons for which a stream is reset (SPDY/3.1, section 2.6.3). */
export const [PROTOCOL_ERROR, REFUSED_STREAM, CANCEL] = [1, 3, 5] as const;
/** The flag of the last frame of a stream's half. */
export const FIN = 1;
/** Bytes of the head of a frame. */
export const HEAD_BYTES = 8;

/** The beginning of a stream in the format of zlib, without a dictionary (RFC 1950 section 2.2). */
const ZLIB_HEAD = Buffer.from([0x78, 0x01]);
/** An empty stored block, as which compressors flush: what came before can be read now (RFC 1951 section 3.2.4). */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/**
 * Formats a frame that opens a stream. Its headers are in stored blocks, which any decompressor reads: a compressor for
 * each connection would cost 256 KiB, and the headers of a session have 100 bytes.
 * @param isFirst whether it is the first frame of the connection with headers, where the compressed stream begins
 */
export function openingFrame(id: number, headers: Readonly<Record<string, string>>, isFirst: boolean): Buffer {
  // Behind the ids of the stream and of one that it belongs to, none: priority and slot.
  const ids = Buffer.alloc(10);
  ids.writeUInt32BE(id);
  return controlFrame(SYN_STREAM, 0, Buffer.concat([ids, storedBlock(headers, isFirst)]));
}

/**
 * Formats a frame that accepts a stream of the other side, without headers.
 * @param isFirst see {@link openingFrame}
 */
export const replyFrame = (id: number, isFirst: boolean): Buffer =>
  controlFrame(SYN_REPLY, 0, Buffer.concat([u32(id), storedBlock({}, isFirst)]));

/** Formats a frame that ends a stream out of order. */
export const resetFrame = (id: number, reason: number): Buffer =>
  controlFrame(RST_STREAM, 0, Buffer.concat([u32(id), u32(reason)]));

function storedBlock(headers: Readonly<Record<string, string>>, isFirst: boolean): Buffer {
  const block = headerBlock(headers);
  const size = Buffer.from([0, ...u16le(block.length), ...u16le(~block.length & 0xffff)]);
  return Buffer.concat([...(isFirst ? [ZLIB_HEAD] : []), size, block, FLUSH]);
}

const u16le = (value: number): [number, number] => [value & 0xff, value >> 8];

/** Formats headers: their number, and each name and value behind its length. */
function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(headers);
  return Buffer.concat([u32(entries.length), ...entries.flatMap(([name, value]) => [...sized(name), ...sized(value)])]);
}

const sized = (text: string): Buffer[] => [u32(Buffer.byteLength(text)), Buffer.from(text)];

/** Formats a control frame of version 3. */
export const controlFrame = (type: number, flags: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x80, 3, 0, type]), u32(flags * 0x1000000 + payload.length), payload]);

/** Formats the head of a frame with data of a stream. */
export const dataHead = (id: number, flags: number, length: number): Buffer =>
  Buffer.concat([u32(id), u32(flags * 0x1000000 + length)]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

import { type Deflated, deflate, type Piece } from '@orch/resources';
import { crc32Combine } from './crc32-combine.js';

/** Header of a member: no name, no time, fastest compression, unknown system (RFC 1952 section 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
/** An empty block, marked as the last one. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** Number of pieces that are compressed while the previous one is written. */
const AHEAD = 4;
/** Bytes of one part of a large piece. */
const PART = 256 * 1024;

/**
 * Joins parts that were compressed on their own to one gzip member: those of shared pieces are reused, and several are
 * compressed at a time, none of them on the event loop's thread.
 */
export async function* gzipped(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer> {
  yield HEADER;
  let crc = 0;
  let length = 0;
  const append = (part: Deflated): Buffer => {
    crc = crc32Combine(crc, part.crc, part.length);
    length += part.length;
    return part.blocks;
  };
  const ahead: Promise<Deflated>[] = [];
  for await (const piece of pieces) {
    for (const part of partsOf(piece)) {
      ahead.push(part);
      // The error of a failed part is thrown when it is awaited.
      part.catch(() => {});
      const due = ahead.length > AHEAD ? ahead.shift() : undefined;
      if (due) yield append(await due);
    }
  }
  for (const due of ahead) yield append(await due);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  yield Buffer.concat([LAST_BLOCK, trailer]);
}

function* partsOf(piece: Piece): Generator<Promise<Deflated>> {
  if (!Buffer.isBuffer(piece)) yield piece.deflated();
  else for (let at = 0; at < piece.length; at += PART) yield deflate(piece.subarray(at, at + PART));
}

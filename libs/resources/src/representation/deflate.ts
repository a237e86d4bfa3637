import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

/** A part of a gzip body: deflate blocks that refer to nothing before them and end at a byte, never the last of a body. */
export interface Deflated {
  /** Compressed bytes. */
  readonly blocks: Buffer;
  /** CRC-32 of what the blocks hold. */
  readonly crc: number;
  /** Bytes that the blocks hold. */
  readonly length: number;
}

/** Compressions under way at once: each has a quarter of a MiB of its own, and the pool has threads for other things too. */
const AT_ONCE = 3;
/** Length below which bytes are stored without compression. */
const STORE_BELOW = 256;
const OPTIONS = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH };

const compress = promisify<Buffer, typeof OPTIONS, Buffer>(deflateRaw);
const waiting: (() => void)[] = [];
let underWay = 0;

/** Compresses outside the event loop's thread. Parts may be put together in any order (RFC 1951 section 2). */
export async function deflate(bytes: Buffer): Promise<Deflated> {
  const { length } = bytes;
  if (length < STORE_BELOW) return { blocks: stored(bytes), crc: crc32(bytes), length };
  if (underWay >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay++;
  try {
    return { blocks: await compress(bytes, OPTIONS), crc: crc32(bytes), length };
  } finally {
    // The place is handed over, if anybody waits for it.
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }
}

/** A block without compression: RFC 1951 section 3.2.4. */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

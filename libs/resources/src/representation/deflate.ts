import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

/**
 * Part of a gzip body: deflate blocks that refer to nothing before them and end at a byte boundary, never the last of a
 * body.
 */
export interface Deflated {
  /** Compressed bytes. */
  readonly blocks: Buffer;
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number;
  /** Number of uncompressed bytes. */
  readonly length: number;
}

/** Maximum number of concurrent compressions: each takes a quarter of a MiB, and the thread pool has other work too. */
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
    // Passes the place on to the next caller, if one waits.
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }
}

/** Returns an uncompressed block (RFC 1951 section 3.2.4). */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

import { TransportError } from '../errors.js';

/** Length of an event above which the stream counts as broken: more than any object has. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 4;

/**
 * Splits a stream of bytes into frames, each behind its length (four bytes, big-endian). Bytes after the last whole one
 * are a truncated frame: {@link TransportError}.
 */
export async function* frames(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** Bytes that the next head or frame needs. */
  let needed = HEAD_BYTES;
  for await (const piece of pieces) {
    pending.push(piece);
    pendingBytes += piece.length;
    if (pendingBytes < needed) continue;
    let bytes = pending.length === 1 ? piece : Buffer.concat(pending);
    for (needed = sizeOf(bytes); bytes.length >= needed && needed > HEAD_BYTES; needed = sizeOf(bytes)) {
      yield bytes.subarray(HEAD_BYTES, needed);
      bytes = bytes.subarray(needed);
    }
    pending = bytes.length > 0 ? [bytes] : [];
    pendingBytes = bytes.length;
  }
  if (pendingBytes > 0) throw new TransportError('the stream ended in the middle of an event');
}

/** Bytes of the first frame with its length; of the length alone where that is not whole. */
function sizeOf(bytes: Buffer): number {
  if (bytes.length < HEAD_BYTES) return HEAD_BYTES;
  const length = bytes.readUInt32BE(0);
  if (length === 0) throw new TransportError('the stream holds an event without content');
  if (length > MAX_FRAME_BYTES) throw new TransportError(`an event is longer than ${MAX_FRAME_BYTES} bytes`);
  return HEAD_BYTES + length;
}

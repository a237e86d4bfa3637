import { TransportError } from '../errors.js';

const LINE_FEED = 10;
/** Length of an event above which the stream counts as broken: more than any object has. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Splits a stream of bytes at line feeds. Bytes after the last one are a truncated line: {@link TransportError}. */
export async function* lines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      const tail = piece.subarray(start, end);
      const line = pending.length === 0 ? tail : Buffer.concat([...pending, tail]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < piece.length) {
      pending.push(piece.subarray(start));
      pendingBytes += piece.length - start;
      if (pendingBytes > MAX_LINE_BYTES) throw new TransportError(`an event is longer than ${MAX_LINE_BYTES} bytes`);
    }
  }
  if (pendingBytes > 0) throw new TransportError('the stream ended in the middle of an event');
}

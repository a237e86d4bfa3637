import type { Status } from '@orch/machinery';
import type { FrameEncoder, StreamError } from '@orch/watchcache';
import type { Representation } from '../representation/representation.js';

/** An HTTP/1.1 chunk: length in hexadecimal, CRLF, payload, CRLF (RFC 9112 section 7.1). */
export function httpChunk(payload: Buffer): Buffer {
  const head = `${payload.length.toString(16)}\r\n`;
  const out = Buffer.allocUnsafe(head.length + payload.length + 2);
  out.write(head, 0, 'latin1');
  payload.copy(out, head.length);
  out.write('\r\n', out.length - 2, 'latin1');
  return out;
}

/** The chunk that ends a body. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Wire frames of a watch over HTTP/1.1: complete chunks, made once and shared by all watchers of the key. */
export function chunkedFrames(representation: Representation, statusOf: (error: StreamError) => Status): FrameEncoder {
  return {
    key: representation.key,
    event: (kind, { body }, version) => httpChunk(representation.event(kind, { version, body })),
    bookmark: (version, initialEventsEnd) =>
      httpChunk(representation.bookmark({ resourceVersion: String(version), initialEventsEnd })),
    error: (error) => httpChunk(representation.errorEvent(statusOf(error))),
  };
}

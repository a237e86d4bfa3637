import type { Status } from '@orch/machinery';
import type { FrameEncoder, StreamError } from '@orch/watchcache';
import type { Representation } from '../../resources/representation/representation.js';

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

const FINAL = 0x80;
const OPCODES = { text: 0x1, binary: 0x2 } as const;

/** A whole WebSocket message in one frame, unmasked as servers send them (RFC 6455 section 5.2). */
export function webSocketMessage(kind: 'text' | 'binary', payload: Buffer): Buffer {
  const { length } = payload;
  const head = length < 126 ? 2 : length < 0x1_0000 ? 4 : 10;
  const out = Buffer.allocUnsafe(head + length);
  out[0] = FINAL | OPCODES[kind];
  out[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) out.writeUInt16BE(length, 2);
  if (head === 10) out.writeBigUInt64BE(BigInt(length), 2);
  payload.copy(out, head);
  return out;
}

/** What stands around the events of a stream on the wire. */
export interface Framing {
  /** Told apart by this: streams of one representation and one framing share their bytes. */
  readonly name: string;
  frame(payload: Buffer, representation: Representation): Buffer;
}

/** HTTP/1.1: complete chunks. */
export const CHUNKS: Framing = { name: 'chunks', frame: httpChunk };

/** HTTP/2: nothing, for frames there end where flow control has them end. */
export const BARE: Framing = { name: 'bare', frame: (payload) => payload };

/** Length that stands before each binary event of a stream; a message has its own. */
const LENGTH_BYTES = 4;

/** WebSockets: one message an event, text or binary as the encoding is. */
export const MESSAGES: Framing = {
  name: 'messages',
  frame: (payload, { streamContentType }) =>
    streamContentType === 'application/json'
      ? webSocketMessage('text', payload)
      : webSocketMessage('binary', payload.subarray(LENGTH_BYTES)),
};

/** Wire frames of a watch, made once and shared by all watchers of the key. */
export function framesOf(
  representation: Representation,
  framing: Framing,
  statusOf: (error: StreamError) => Status,
): FrameEncoder {
  const framed = (payload: Buffer) => framing.frame(payload, representation);
  const key = `${representation.key};${framing.name}`;
  const frames: FrameEncoder = {
    key,
    event: (kind, { body, storedVersion, defaults }, version) =>
      framed(representation.event(kind, { version, storedVersion, defaults, body })),
    bookmark: (version, initialEventsEnd) =>
      framed(representation.bookmark({ resourceVersion: String(version), initialEventsEnd })),
    error: (error) => framed(representation.errorEvent(statusOf(error))),
  };
  const { following } = representation;
  if (!following) return frames;
  const event: FrameEncoder['event'] = (kind, { body, storedVersion, defaults }, version) =>
    framed(following(kind, { version, storedVersion, defaults, body }));
  return { ...frames, following: { ...frames, key: `${key};following`, event } };
}

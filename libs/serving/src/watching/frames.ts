import type { Status } from '@orch/machinery';
import { type Representation, type Surround, surrounded } from '@orch/resources';
import type { FrameEncoder, StreamError } from '@orch/watchcache';

/**
 * Prefix and suffix that make a payload an HTTP/1.1 chunk: length in hexadecimal, CRLF, payload, CRLF (RFC 9112 section
 * 7.1).
 */
const aroundChunk: Surround = (length) => [`${length.toString(16)}\r\n`, '\r\n'];

/** Encodes a payload as an HTTP/1.1 chunk. */
export const httpChunk = (payload: Buffer): Buffer => surrounded(payload, aroundChunk);

/** Last chunk of a body. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const FINAL = 0x80;
const OPCODES = { text: 0x1, binary: 0x2 } as const;

/**
 * Prefix that makes a payload a whole WebSocket message in one frame, unmasked as servers send them (RFC 6455 section
 * 5.2).
 */
const aroundMessage =
  (kind: 'text' | 'binary'): Surround =>
  (length) => {
    const head = Buffer.allocUnsafe(length < 126 ? 2 : length < 0x1_0000 ? 4 : 10);
    head[0] = FINAL | OPCODES[kind];
    head[1] = head.length === 2 ? length : head.length === 4 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    return [head.toString('latin1'), ''];
  };

const [aroundText, aroundBinary] = [aroundMessage('text'), aroundMessage('binary')];

/** Encodes a payload as a whole WebSocket message. */
export const webSocketMessage = (kind: 'text' | 'binary', payload: Buffer): Buffer =>
  surrounded(payload, kind === 'text' ? aroundText : aroundBinary);

/** Bytes around the events of a stream on the wire. */
export interface Framing {
  /** Key of the encoding: streams of one representation and one framing share their bytes. */
  readonly name: string;
  frame(payload: Buffer, representation: Representation): Buffer;
  /** The same for JSON, whose events are encoded within prefix and suffix; absent if there are none. */
  readonly aroundJson?: Surround;
}

/** HTTP/1.1: complete chunks. */
export const CHUNKS: Framing = { name: 'chunks', frame: httpChunk, aroundJson: aroundChunk };

/** HTTP/2: no framing, as flow control determines where its frames end. */
export const BARE: Framing = { name: 'bare', frame: (payload) => payload };

/** Length of the prefix of each binary event of a stream; WebSocket messages have their own. */
const LENGTH_BYTES = 4;

/** WebSockets: one message per event, text or binary like the encoding. */
export const MESSAGES: Framing = {
  name: 'messages',
  frame: (payload, { streamContentType }) =>
    streamContentType === 'application/json'
      ? webSocketMessage('text', payload)
      : webSocketMessage('binary', payload.subarray(LENGTH_BYTES)),
  aroundJson: aroundText,
};

/** Encodes the wire frames of a watch, once for all watchers with the same key. */
export function framesOf(
  representation: Representation,
  framing: Framing,
  statusOf: (error: StreamError) => Status,
): FrameEncoder {
  const { eventWithin, piecesWithin } = representation;
  const { aroundJson } = framing;
  const framed = (payload: Buffer) => framing.frame(payload, representation);
  const key = `${representation.key};${framing.name}`;
  const frames: FrameEncoder = {
    key,
    event: (kind, { body, storedVersion, defaults }, version) => {
      const stored = { version, storedVersion, defaults, body };
      return eventWithin && aroundJson
        ? eventWithin(kind, stored, aroundJson)
        : framed(representation.event(kind, stored));
    },
    ...(piecesWithin && {
      eventPieces: (kind, { body, storedVersion, defaults }, version) =>
        piecesWithin(kind, { version, storedVersion, defaults, body }, aroundJson),
    }),
    bookmark: (version, initialEventsEnd) =>
      framed(representation.bookmark({ resourceVersion: String(version), initialEventsEnd })),
    error: (error) => framed(representation.errorEvent(statusOf(error))),
  };
  const { following } = representation;
  if (!following) return frames;
  const event: FrameEncoder['event'] = (kind, { body, storedVersion, defaults }, version) =>
    framed(following(kind, { version, storedVersion, defaults, body }));
  const { eventPieces: _ofTheFirst, ...others } = frames;
  return { ...frames, following: { ...others, key: `${key};following`, event } };
}

import { type ClientHttp2Stream, constants } from 'node:http2';

/**
 * Thrown where an agent has not answered a request because its connection was lost, or it has refused the stream: a GET
 * may be sent again on another connection.
 */
export class UnprocessedError extends Error {
  override readonly name = 'UnprocessedError';

  constructor(override readonly cause: Error) {
    super(cause.message);
  }
}

/** Names of the error codes of HTTP/2 (RFC 9113 section 7). */
const NAMES: ReadonlyMap<number, string> = new Map(
  (['PROTOCOL_ERROR', 'INTERNAL_ERROR', 'REFUSED_STREAM', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY'] as const).map(
    (name) => [constants[`NGHTTP2_${name}`], name],
  ),
);

/** The error of a stream that the agent has reset, in the words of the reference; the error itself for another one. */
export function streamError({ id, rstCode }: ClientHttp2Stream, error: Error): Error {
  const name = rstCode === undefined ? undefined : NAMES.get(rstCode);
  return name === undefined ? error : new Error(`stream error: stream ID ${id}; ${name}; received from peer`);
}

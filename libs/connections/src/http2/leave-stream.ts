import { type ClientHttp2Stream, constants } from 'node:http2';

/**
 * Resets a stream that nobody reads any more. One that the agent has ended is closed already, but Node keeps it until the
 * last of its answer has been read.
 */
export function leaveStream(stream: ClientHttp2Stream): void {
  if (stream.closed) stream.destroy();
  else stream.close(constants.NGHTTP2_CANCEL);
}

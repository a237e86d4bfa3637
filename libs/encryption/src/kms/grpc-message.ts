import { constants, type IncomingHttpHeaders } from 'node:http2';
import { codeOf, GrpcError } from './grpc-status.js';

/** Bytes before a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/** Returns a message with its frame. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** Returns the message of an answer, or its error. */
export function readAnswer(head: IncomingHttpHeaders, trailers: IncomingHttpHeaders, body: Buffer): Buffer | GrpcError {
  // Without a message, the status may be in the headers instead of the trailers.
  const status = trailers['grpc-status'] ?? head['grpc-status'];
  if (status === undefined) {
    const code = head[constants.HTTP2_HEADER_STATUS];
    return new GrpcError(
      'Unavailable',
      code === undefined ? 'the connection was closed' : `answered with HTTP status ${code}`,
    );
  }
  const code = codeOf(String(status));
  if (code !== 'OK') return new GrpcError(code, descriptionOf(trailers['grpc-message'] ?? head['grpc-message']));
  if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES)
    return new GrpcError('Internal', 'the answer is no message');
  return body.subarray(PREFIX_BYTES);
}

/** Characters of a plugin's error message. */
const LONGEST_DESCRIPTION = 1_000;

function descriptionOf(text: string | string[] | undefined): string {
  const description = String(text ?? '').slice(0, LONGEST_DESCRIPTION);
  try {
    return decodeURIComponent(description);
  } catch {
    return description;
  }
}

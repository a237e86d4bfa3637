import { constants, type IncomingHttpHeaders } from 'node:http2';
import { codeOf, GrpcError } from './grpc-status.js';

/** Before a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/** A message as it travels. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** The message of an answer, or what it was answered with in its place. */
export function readAnswer(head: IncomingHttpHeaders, trailers: IncomingHttpHeaders, body: Buffer): Buffer | GrpcError {
  // Where there is no message, what else would come behind it stands in the head.
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

/** Characters of what a plugin says of an error. */
const LONGEST_DESCRIPTION = 1_000;

function descriptionOf(text: string | string[] | undefined): string {
  const said = String(text ?? '').slice(0, LONGEST_DESCRIPTION);
  try {
    return decodeURIComponent(said);
  } catch {
    return said;
  }
}

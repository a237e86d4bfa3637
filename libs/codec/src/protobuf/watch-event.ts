import { varintSize, writeHead } from './envelope.js';

/**
 * A frame of a binary watch: four bytes of length, big-endian, then `WatchEvent{type 1, object 2{raw 1}}`.
 * @param object a whole document, with prefix and envelope
 */
export function encodeWatchEvent(type: string, object: Uint8Array): Buffer {
  const rawSize = 1 + varintSize(object.length) + object.length;
  const size = 1 + varintSize(type.length) + type.length + 1 + varintSize(rawSize) + rawSize;
  const out = Buffer.allocUnsafe(4 + size);
  out.writeUInt32BE(size, 0);
  let at = writeHead(out, 4, 1, type.length);
  at += out.write(type, at, 'latin1');
  at = writeHead(out, at, 2, rawSize);
  at = writeHead(out, at, 1, object.length);
  out.set(object, at);
  return out;
}

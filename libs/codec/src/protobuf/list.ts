import { varintSize, writeHead } from './envelope.js';

/**
 * The binary form of a list from the binary forms of its metadata (field 1) and its items (field 2), without
 * envelope.
 */
export function encodeList(metadata: Uint8Array, items: readonly Uint8Array[]): Buffer {
  let size = 1 + varintSize(metadata.length) + metadata.length;
  for (const item of items) size += 1 + varintSize(item.length) + item.length;
  const out = Buffer.allocUnsafe(size);
  let at = writeHead(out, 0, 1, metadata.length);
  out.set(metadata, at);
  at += metadata.length;
  for (const item of items) {
    at = writeHead(out, at, 2, item.length);
    out.set(item, at);
    at += item.length;
  }
  return out;
}

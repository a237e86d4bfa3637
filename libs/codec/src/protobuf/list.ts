import { varintSize, writeHead } from './envelope.js';

/** Tag and length before the binary form of a list's metadata (field 1) and of each of its items (field 2). */
function fieldHead(field: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(1 + varintSize(length));
  writeHead(head, 0, field, length);
  return head;
}

/** Tag and length before the binary form of a list's metadata, which takes `length` bytes. */
export const listMetaHead = (length: number): Buffer => fieldHead(1, length);
/** Tag and length before the binary form of an item, which takes `length` bytes. */
export const listItemHead = (length: number): Buffer => fieldHead(2, length);

/** Returns the bytes of a field of a list, with its head. */
export const listFieldSize = (length: number): number => 1 + varintSize(length) + length;

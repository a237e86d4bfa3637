/** Bytes from which on freeing them is worth a call. */
const LEAST = 8 << 10;

/**
 * Frees the memory of bytes that are not used any more, at once: V8 lets 64 MiB of it accumulate before it looks for
 * garbage. Views of them are empty from then on. Shared memory, such as that of short Buffers, is not touched.
 */
export function freeMemory(bytes: Buffer): void {
  const { buffer } = bytes;
  if (bytes.length < LEAST || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

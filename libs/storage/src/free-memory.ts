/** Bytes from which on freeing them is worth a call. */
const LEAST = 8 << 10;

/**
 * Frees the memory of bytes that nobody will look at any more, at once: V8 lets 64 MiB of it gather before it looks for what is dead.
 * Views of them are empty from then on. Memory that others share, such as that of short Buffers, stays as it is.
 */
export function freeMemory(bytes: Buffer): void {
  const { buffer } = bytes;
  if (bytes.length < LEAST || bytes.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

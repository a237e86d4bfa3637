/** Bytes that a piece may leave unused of the memory that it retains. */
const SLACK = 64;

/**
 * Copies bytes to memory of their own, unless they have it: a short Buffer is a slice of eight KiB that it shares with
 * whatever was allocated at the same time, and retains all of it for as long as it is kept.
 */
export function owned(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= bytes.length + SLACK) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/**
 * Copies bytes into memory of their own, to keep them: a short Buffer is a slice of eight KiB that it shares with
 * whatever was allocated at the same time, and a part of a long one retains the whole of it.
 */
export function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

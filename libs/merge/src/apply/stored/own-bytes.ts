/**
 * A copy in memory of its own, for what is kept: a short Buffer is a slice of eight KiB that it shares with whatever was made at the
 * same time, and a part of a long one holds on to the whole of it.
 */
export function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

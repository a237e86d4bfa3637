/** Returns the bytes before and behind a content of the given length, Latin-1. */
export type Surround = (length: number) => readonly [head: string, tail: string];

/** Copies bytes, with their prefix and suffix, to a new buffer. */
export function surrounded(bytes: Buffer, around: Surround): Buffer {
  const [head, tail] = around(bytes.length);
  const out = Buffer.allocUnsafe(head.length + bytes.length + tail.length);
  out.write(head, 0, 'latin1');
  bytes.copy(out, head.length);
  out.write(tail, head.length + bytes.length, 'latin1');
  return out;
}

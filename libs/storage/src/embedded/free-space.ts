import { open, stat, statfs } from 'node:fs/promises';

/** A server needs a further segment of its log, of 16 MiB, before it can recover. */
const LEAST_BYTES = 16 << 20;
/** Bytes at the end of a log that are searched. */
const END = 4096;
const REFUSALS = /No space left on device|Disk quota exceeded/;

/**
 * Whether a server has stopped, or cannot start, because the disk of a folder is full.
 * @param since length of the log before the start, in bytes: earlier lines are about an earlier run, and the log may be
 * the only evidence
 */
export async function isOutOfSpace(folder: string, log: string, since = 0): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_BYTES) return true;
  // A quota leaves room on the disk.
  return REFUSALS.test(await endOf(log, since));
}

/** Bytes of a file; 0 where there is none. */
export const bytesOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

async function endOf(file: string, since: number): Promise<string> {
  const size = await bytesOf(file);
  // A log that is shorter than before is a new one.
  const from = since <= size ? since : 0;
  if (size === from) return '';
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(END),
      position: Math.max(from, size - END),
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

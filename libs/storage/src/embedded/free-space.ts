import { open, stat, statfs } from 'node:fs/promises';

/** A server needs a further segment of its log, of 16 MiB, before it can recover. */
const LEAST_BYTES = 16 << 20;
/** Bytes at the end of a log that are looked through. */
const END = 4096;
const REFUSALS = /No space left on device|Disk quota exceeded/;

/** Whether a server has ended, or cannot start, because there is no room for what it writes to a folder. */
export async function isOutOfSpace(folder: string, log: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_BYTES) return true;
  // A quota leaves room on the disk.
  return REFUSALS.test(await endOf(log));
}

async function endOf(file: string): Promise<string> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size === 0) return '';
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(END), position: Math.max(0, size - END) });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

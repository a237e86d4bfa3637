import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const NEW_LINE = 0x0a;

/** Opens a file of a log, which is compressed if its name says so. @param size bytes from its beginning */
export function openLog(path: string, size?: number): Readable {
  const file = createReadStream(path, size === undefined ? {} : { end: size - 1 });
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
}

/** Returns the files that a log was rotated to, the oldest first; no links and pipes, which a container may have put there. */
export async function rotatedLogs(path: string): Promise<string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const rotated = files
    .map((entry) => entry.name)
    .filter((each) => each.startsWith(`${name}.`) && !each.endsWith('.tmp'));
  return rotated.sort().map((each) => join(folder, each));
}

/** Counts the lines of a file. */
export async function countLines(path: string, size?: number): Promise<number> {
  if (size === 0) return 0;
  let count = 0;
  for await (const piece of openLog(path, size) as AsyncIterable<Buffer>)
    for (let at = piece.indexOf(NEW_LINE); at >= 0; at = piece.indexOf(NEW_LINE, at + 1)) count++;
  return count;
}

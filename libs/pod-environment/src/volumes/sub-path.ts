import type { FileHandle } from 'node:fs/promises';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Mounter } from './mounter.js';
import { makeFolderBelow, openBelow, pathOfOpen } from './safe-path.js';

/** A part of a volume that a container sees. */
interface SubPath {
  /** Folder of the volume. */
  readonly volume: string;
  /** Path within it. */
  readonly path: string;
  /** Place where the part is mounted for the container. */
  readonly target: string;
}

/**
 * Mounts a part of a volume at a place of its own, so that containers which change links in the volume cannot have the
 * runtime mount anything else. A part that does not exist becomes a folder.
 * @throws PathEscapeError for a path that leads out of the volume
 */
export async function mountSubPath({ volume, path, target }: SubPath, mounter: Mounter): Promise<void> {
  if ((await mounter.mountsBelow(target)).includes(target)) return;
  const part = await openOrMake(volume, path);
  try {
    await makeTarget(target, (await part.stat()).isDirectory());
    await mounter.bind(pathOfOpen(part), target);
  } finally {
    await part.close();
  }
}

async function openOrMake(volume: string, path: string): Promise<FileHandle> {
  try {
    return await openBelow(volume, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await makeFolderBelow(volume, path, (await stat(volume)).mode & 0o7777);
  return openBelow(volume, path);
}

async function makeTarget(target: string, isFolder: boolean): Promise<void> {
  if (isFolder) {
    await mkdir(target, { recursive: true, mode: 0o750 });
    return;
  }
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  await writeFile(target, '', { flag: 'a', mode: 0o640 });
}

import type { Stats } from 'node:fs';
import { chmod, chown, type FileHandle, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openItself, pathOfOpen } from './safe-path.js';

/** How a volume is given to the group of a pod. */
export interface VolumeOwnership {
  /** Group of the files. */
  readonly group: number;
  /** Whether the group may only read them. */
  readonly readOnly: boolean;
  /** Whether nothing is done where the folder itself is right already. */
  readonly onRootMismatch?: boolean;
}

const [READ_WRITE, READ_ONLY, EXECUTE, SET_GROUP] = [0o660, 0o440, 0o110, 0o2000];

/** Gives all files of a volume to a group, and the group access; links are not followed. */
export async function giveToGroup(folder: string, ownership: VolumeOwnership): Promise<void> {
  if (ownership.onRootMismatch && (await isOwned(folder, ownership))) return;
  const file = await openItself(folder);
  try {
    await give(file, ownership);
  } finally {
    await file.close();
  }
}

async function isOwned(folder: string, { group, readOnly }: VolumeOwnership): Promise<boolean> {
  const { gid, mode } = await stat(folder);
  const wanted = (readOnly ? READ_ONLY : READ_WRITE) | EXECUTE | SET_GROUP;
  return gid === group && (mode & wanted) === wanted;
}

/** Gives what has been opened: by a name, containers that use the volume could have another file changed meanwhile. */
async function give(file: FileHandle, ownership: VolumeOwnership): Promise<void> {
  const stats = await file.stat();
  // Children first, so that the folder itself is right only once all is done.
  if (stats.isDirectory())
    for await (const { name } of await opendir(pathOfOpen(file))) await giveChild(file, name, ownership);
  await change(pathOfOpen(file), stats, ownership);
}

async function giveChild(parent: FileHandle, name: string, ownership: VolumeOwnership): Promise<void> {
  const file = await openItself(join(pathOfOpen(parent), name)).catch(ignoreGone);
  try {
    if (file) await give(file, ownership);
  } finally {
    await file?.close();
  }
}

/** Containers may remove files meanwhile. */
function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function change(path: string, stats: Stats, { group, readOnly }: VolumeOwnership): Promise<void> {
  await chown(path, stats.uid, group);
  // The permissions of a link are those of its target.
  if (stats.isSymbolicLink()) return;
  const mask = (readOnly ? READ_ONLY : READ_WRITE) | (stats.isDirectory() ? EXECUTE | SET_GROUP : 0);
  await chmod(path, (stats.mode & 0o7777) | mask);
}

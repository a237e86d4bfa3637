import type { Stats } from 'node:fs';
import { chmod, lchown, lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

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
  await give(folder, ownership);
}

async function isOwned(folder: string, { group, readOnly }: VolumeOwnership): Promise<boolean> {
  const { gid, mode } = await stat(folder);
  const wanted = (readOnly ? READ_ONLY : READ_WRITE) | EXECUTE | SET_GROUP;
  return gid === group && (mode & wanted) === wanted;
}

/** Children first, so that the folder itself is right only once all is done. */
async function give(path: string, ownership: VolumeOwnership): Promise<void> {
  const stats = await lstat(path);
  if (stats.isDirectory()) for await (const { name } of await opendir(path)) await give(join(path, name), ownership);
  await change(path, stats, ownership);
}

async function change(path: string, stats: Stats, { group, readOnly }: VolumeOwnership): Promise<void> {
  await lchown(path, stats.uid, group);
  // The permissions of a link are those of its target.
  if (stats.isSymbolicLink()) return;
  const mask = (readOnly ? READ_ONLY : READ_WRITE) | (stats.isDirectory() ? EXECUTE | SET_GROUP : 0);
  await chmod(path, (stats.mode & 0o7777) | mask);
}

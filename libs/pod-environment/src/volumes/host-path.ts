import type { Stats } from 'node:fs';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';

interface PathType {
  readonly is: (stats: Stats) => boolean;
  /** Noun of the refusal: `is not a directory`. */
  readonly noun: string;
}

const FOLDER: PathType = { is: (stats) => stats.isDirectory(), noun: 'directory' };
const FILE: PathType = { is: (stats) => stats.isFile(), noun: 'file' };
const TYPES: Readonly<Record<string, PathType>> = {
  Directory: FOLDER,
  DirectoryOrCreate: FOLDER,
  File: FILE,
  FileOrCreate: FILE,
  Socket: { is: (stats) => stats.isSocket(), noun: 'socket file' },
  CharDevice: { is: (stats) => stats.isCharacterDevice(), noun: 'character device' },
  BlockDevice: { is: (stats) => stats.isBlockDevice(), noun: 'block device' },
};

/**
 * Checks that a path of the node is of the type that a volume asks for, and makes it if it may.
 * @param type `hostPath.type`; empty for no check
 * @throws Error with the message of the event
 */
export async function checkHostPath(path: string, type: string): Promise<void> {
  if (path.split('/').includes('..')) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  if (type === '') return;
  const wanted = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!wanted) throw new Error(`${type} is an invalid volume type`);
  const found = await statsOf(path);
  if (found === undefined && type === 'DirectoryOrCreate') return makeFolder(path);
  if (found === undefined && type === 'FileOrCreate') return makeFile(path);
  if (found === undefined || !wanted.is(found))
    throw new Error(`hostPath type check failed: ${path} is not a ${wanted.noun}`);
}

/** Whether a path of the node is, or leads to, a block device. */
export const isBlockDevice = async (path: string): Promise<boolean> => (await statsOf(path))?.isBlockDevice() ?? false;

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o755 });
}

async function makeFile(path: string): Promise<void> {
  await writeFile(path, '', { flag: 'wx' });
  await chmod(path, 0o644);
}

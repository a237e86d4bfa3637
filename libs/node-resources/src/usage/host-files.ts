import { lstat, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Size of a file system. */
export interface FilesystemSize {
  /** Bytes in all. */
  readonly capacityBytes: number;
  /** Bytes that ordinary users can still write. */
  readonly availableBytes: number;
  /** Bytes in use. */
  readonly usedBytes: number;
  /** Files and folders that there can be. */
  readonly inodes: number;
  /** Files and folders that can still be made. */
  readonly inodesFree: number;
  /** Number of the device, equal for paths of one file system. */
  readonly device: number;
}

/** Size of a folder with everything below it. */
export interface TreeSize {
  /** Bytes of disk. */
  readonly bytes: number;
  /** Files and folders. */
  readonly inodes: number;
}

/** Files and file systems of the machine, as they are read. */
export interface HostFiles {
  /** Returns a file's content; undefined if it cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** Returns the size of the file system that a path is on. */
  filesystem(path: string): Promise<FilesystemSize>;
  /** Returns the size of a folder; zero if there is none. */
  tree(path: string): Promise<TreeSize>;
  /** Returns the names of the entries of a folder; none if there is no such folder. */
  entries(path: string): Promise<string[]>;
}

const BLOCK = 512;

/** The machine itself. */
export const hostFiles: HostFiles = {
  read: (path) => readFile(path, 'utf8').catch(() => undefined),
  async filesystem(path) {
    const [{ bsize, blocks, bfree, bavail, files, ffree }, { dev }] = await Promise.all([statfs(path), stat(path)]);
    return {
      capacityBytes: blocks * bsize,
      availableBytes: bavail * bsize,
      usedBytes: (blocks - bfree) * bsize,
      inodes: files,
      inodesFree: ffree,
      device: dev,
    };
  },
  tree: treeSize,
  entries: (path) => readdir(path).catch(() => []),
};

/** Files come and go while they are counted: what is gone counts nothing. */
async function treeSize(path: string): Promise<TreeSize> {
  const own = await lstat(path).catch(() => undefined);
  if (!own) return { bytes: 0, inodes: 0 };
  let [bytes, inodes] = [own.blocks * BLOCK, 1];
  if (!own.isDirectory()) return { bytes, inodes };
  for (const name of await readdir(path).catch(() => [])) {
    const below = await treeSize(join(path, name));
    bytes += below.bytes;
    inodes += below.inodes;
  }
  return { bytes, inodes };
}

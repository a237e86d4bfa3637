import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Mounts of this machine. */
export interface Mounter {
  /** Mounts a file system in memory of at most that many bytes; 0 for half of the machine's memory. */
  memory(target: string, bytes: number): Promise<void>;
  /** Mounts a file or folder at another place as well. */
  bind(source: string, target: string): Promise<void>;
  /** Mounts the file system of a block device, which is made first where there is none. @param fsType of one that is made */
  disk(device: string, target: string, fsType: string): Promise<void>;
  /** Unmounts what is mounted last at a place. */
  unmount(target: string): Promise<void>;
  /** Returns the places below a folder, itself included, where something is mounted, in the order of the mounts. */
  mountsBelow(folder: string): Promise<string[]>;
}

/** Mounts by the machine's `mount` and `umount`, which need its rights. */
export const systemMounter: Mounter = {
  async memory(target, bytes) {
    const options = bytes > 0 ? ['-o', `size=${bytes}`] : [];
    await run('mount', ['-t', 'tmpfs', ...options, 'tmpfs', target]);
  },
  async bind(source, target) {
    await run('mount', ['--no-canonicalize', '--bind', source, target]);
  },
  async disk(device, target, fsType) {
    const found = await fileSystemOf(device);
    if (found === '') await run(`mkfs.${fsType}`, [...(FORMAT_OPTIONS[fsType] ?? []), device]);
    await run('mount', ['-t', found || fsType, device, target]);
  },
  async unmount(target) {
    await run('umount', ['--no-canonicalize', target]);
  },
  async mountsBelow(folder) {
    const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
    const places = lines.flatMap((line) => line.split(' ')[4] ?? []).map(withoutEscapes);
    return places.filter((place) => place === folder || place.startsWith(`${folder}/`));
  },
};

/** Without questions, and without blocks kept for the administrator. */
const FORMAT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  ext3: ['-F', '-m0'],
  ext4: ['-F', '-m0'],
  xfs: ['-f'],
};
const NOTHING_FOUND = 2;

/** Type of the file system on a device; empty where nothing is on it. @throws Error where that cannot be told */
async function fileSystemOf(device: string): Promise<string> {
  try {
    const { stdout } = await run('blkid', [
      '--probe',
      '--match-tag=TYPE',
      '--match-tag=PTTYPE',
      '--output=export',
      device,
    ]);
    const type = /^TYPE=(.+)$/m.exec(stdout)?.[1];
    if (type === undefined) throw new Error(`${device} holds something that is no file system`);
    return type;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === NOTHING_FOUND) return '';
    throw error;
  }
}

/** Blanks and the like are written as octal numbers. */
const withoutEscapes = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

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
  async unmount(target) {
    await run('umount', ['--no-canonicalize', target]);
  },
  async mountsBelow(folder) {
    const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
    const places = lines.flatMap((line) => line.split(' ')[4] ?? []).map(withoutEscapes);
    return places.filter((place) => place === folder || place.startsWith(`${folder}/`));
  },
};

/** Blanks and the like are written as octal numbers. */
const withoutEscapes = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

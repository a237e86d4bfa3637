import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Symbolic links that are followed for one path, as in Linux. */
const MOST_LINKS = 40;

/** Splits a path into its names; `..` stays. */
const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

/**
 * Returns where a path leads within a root folder, as it would for a process that has the folder as its root: absolute
 * links begin there again, and `..` never leaves it. The last name is not followed. The folder must not change meanwhile.
 *
 * @param make makes a missing folder above the last name; without it, none is made
 * @returns undefined if a folder above the last name does not exist
 * @throws Error for too many links
 */
export async function confinedPath(
  root: string,
  path: string,
  make?: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
  const rest = namesOf(path);
  const at: string[] = [];
  let links = 0;
  while (rest.length > 0) {
    const name = rest.shift() ?? '';
    if (name === '..') {
      at.pop();
      continue;
    }
    const full = join(root, ...at, name);
    if (rest.length === 0) return full;
    const found = await lstat(full).catch(() => undefined);
    if (found?.isSymbolicLink()) {
      if (++links > MOST_LINKS) throw new Error(`${path}: too many symbolic links`);
      const target = await readlink(full);
      if (target.startsWith('/')) at.length = 0;
      rest.unshift(...namesOf(target));
      continue;
    }
    if (!found && !make) return undefined;
    if (found?.isDirectory() === false) throw new Error(`${path}: ${name} is not a folder`);
    if (!found) await make?.(full);
    at.push(name);
  }
  return join(root, ...at);
}

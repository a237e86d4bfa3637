import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Errors of paths that are too long, and of folders that their owner has shut. */
const STUBBORN: ReadonlySet<unknown> = new Set(['ENAMETOOLONG', 'EACCES']);

/**
 * Removes a file or folder with all that is in it, however deep it is and whatever the modes of its folders: whoever
 * filled it may have meant that it stays. Links are not followed. What does not exist is removed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!STUBBORN.has((error as NodeJS.ErrnoException).code)) throw error;
    await removeByLevels(path);
  }
}

/** Moves each folder up before it is looked into, so that no path is longer than the first one by more than two names. */
async function removeByLevels(top: string): Promise<void> {
  const waiting = await emptied(top, (name) => join(top, name));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    waiting.push(...(await emptied(folder, () => join(top, randomUUID()))));
    await rmdir(folder);
  }
  await rmdir(top);
}

/** Removes the files of a folder and moves its folders; returns where they are. */
async function emptied(folder: string, placeOf: (name: string) => string): Promise<string[]> {
  await chmod(folder, 0o700);
  const folders: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      await unlink(path);
      continue;
    }
    const place = placeOf(entry.name);
    if (place !== path) {
      // Who moves a folder writes into it.
      await chmod(path, 0o700);
      await rename(path, place);
    }
    folders.push(place);
  }
  return folders;
}

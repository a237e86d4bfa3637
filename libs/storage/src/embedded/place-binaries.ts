import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, cp, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders that copies are kept in, in the order in which they are tried. Each lies where only root can replace it. */
const SHELVES = ['/var/lib/orch', join(tmpdir(), 'orch-programs')];

/**
 * Copies the programs of a package for a user who has no access to the place of installation; one copy is made for each
 * `key`, and belongs to root. Only root calls this.
 * @param isUsable whether that user can run the programs in a folder
 * @returns the folder of the copy
 * @throws Error when no usable place is found, with the reason for each
 */
export async function placeBinaries(
  packageRoot: string,
  key: string,
  isUsable: (copy: string) => Promise<boolean>,
  shelves: readonly string[] = SHELVES,
): Promise<string> {
  const complaints: string[] = [];
  for (const shelf of shelves) {
    try {
      const copy = await copyOnce(packageRoot, await makeShelf(shelf), `postgresql-${key}`);
      if (await isUsable(copy)) return copy;
      complaints.push(`${copy} cannot be run there`);
    } catch (error) {
      complaints.push((error as Error).message);
    }
  }
  throw new Error(
    `there is no folder for the PostgreSQL executables from which its user can run them: ${complaints.join('; ')}`,
  );
}

/** Makes a folder of programs that all users can read, and that only root can have created or modified. */
async function makeShelf(shelf: string): Promise<string> {
  const made = await mkdir(shelf, { recursive: true, mode: 0o755 });
  // Whatever the umask says.
  if (made !== undefined) await chmod(shelf, 0o755);
  const found = await lstat(shelf);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${shelf} is not a folder that only root can write to`);
  }
  return shelf;
}

/** Filled under another name first: what has the name is whole. */
async function copyOnce(packageRoot: string, shelf: string, name: string): Promise<string> {
  const copy = join(shelf, name);
  if (await exists(copy)) return copy;
  const fresh = join(shelf, `.new-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(fresh);
    const how = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE };
    await cp(join(packageRoot, 'native'), join(fresh, 'native'), how);
    await letRead(fresh);
    await rename(fresh, copy);
  } catch (error) {
    // Another process was faster, or the rename failed.
    await rm(fresh, { recursive: true, force: true });
    if (!(await exists(copy))) throw error;
  }
  return copy;
}

/** Makes installed files readable to all, and executable where they are to their owner, whatever the umask was. */
async function letRead(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await letRead(path);
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file of a volume that is made of objects. */
export interface VolumeFile {
  /** Content. */
  readonly data: Buffer;
  /** Permissions, as of chmod. */
  readonly mode: number;
  /** Owner; absent: the agent's user. */
  readonly user?: number;
}

/** Files of a volume by their path in it. */
export type VolumePayload = ReadonlyMap<string, VolumeFile>;

const DATA = '..data';
const NEW_DATA = '..data_tmp';
/** Prefix of folders of data; each of the volume's own names begins with two dots, which no file of a payload may. */
const VERSION = '..version-';
const MAX_PATH = 4096;

/** Checks a path of a payload: relative, without steps up, and no name of the volume's own. @throws Error */
function checkPath(path: string): void {
  const parts = path.split('/');
  if (path === '' || path.startsWith('/') || path.length > MAX_PATH || parts.includes('..') || path.startsWith('..'))
    throw new Error(`invalid path: ${JSON.stringify(path)} must be relative, without "..", and not begin with ".."`);
}

/**
 * Makes files the content of a folder, all at once: they lie in a folder of their own, which a link names. Readers see
 * the old content or the new one.
 * @param prepare called with the new folder before it is seen, to change owners
 * @returns whether anything was written
 */
export async function writePayload(
  folder: string,
  payload: VolumePayload,
  prepare: (folder: string) => Promise<void> = async () => undefined,
): Promise<boolean> {
  for (const path of payload.keys()) checkPath(path);
  const before = await currentVersion(folder);
  const visible = new Set([...payload.keys()].map((path) => path.split('/')[0] ?? ''));
  const stale = (await readdir(folder)).filter((name) => !name.startsWith('..') && !visible.has(name));
  if (before !== undefined && stale.length === 0 && (await holds(join(folder, before), payload))) return false;
  const version = await mkdtemp(join(folder, VERSION));
  try {
    await chmod(version, 0o755);
    await writeAll(version, payload);
    await prepare(version);
    await rm(join(folder, NEW_DATA), { force: true });
    await symlink(version.slice(folder.length + 1), join(folder, NEW_DATA));
    await rename(join(folder, NEW_DATA), join(folder, DATA));
  } catch (error) {
    await rm(version, { recursive: true, force: true });
    throw error;
  }
  for (const name of visible) await linkTo(join(folder, name), join(DATA, name));
  for (const name of stale) await rm(join(folder, name), { recursive: true, force: true });
  await removeOthers(folder, version.slice(folder.length + 1));
  return true;
}

async function currentVersion(folder: string): Promise<string | undefined> {
  try {
    const version = await readlink(join(folder, DATA));
    return version.startsWith(VERSION) && !version.includes('/') ? version : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether a folder of data holds just these files. */
async function holds(version: string, payload: VolumePayload): Promise<boolean> {
  const entries = await readdir(version, { recursive: true, withFileTypes: true });
  if (entries.filter((entry) => !entry.isDirectory()).length !== payload.size) return false;
  for (const [path, { data }] of payload) {
    try {
      if (!(await readFile(join(version, path))).equals(data)) return false;
    } catch {
      return false;
    }
  }
  return true;
}

async function writeAll(version: string, payload: VolumePayload): Promise<void> {
  for (const [path, { data, mode, user }] of payload) {
    const target = join(version, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(target, data, { flag: 'wx', mode: 0o600 });
    // The umask of the process does not hold here.
    await chmod(target, mode & 0o777);
    if (user !== undefined) await chown(target, user, -1);
  }
}

async function linkTo(path: string, target: string): Promise<void> {
  try {
    if ((await lstat(path)).isSymbolicLink() && (await readlink(path)) === target) return;
    await rm(path, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await symlink(target, path);
}

/** Removes folders of data that are not used any more, those of interrupted writes too. */
async function removeOthers(folder: string, version: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(VERSION) && name !== version) await rm(join(folder, name), { recursive: true, force: true });
}

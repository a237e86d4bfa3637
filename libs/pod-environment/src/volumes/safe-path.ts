import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';

/** Opens a place in the file system without access to its content (open(2)). */
const O_PATH = 0o10000000;

/** Thrown for a path that leads out of its folder; the message names nothing outside of it. */
export class PathEscapeError extends Error {
  override readonly name = 'PathEscapeError';
}

/** Path by which another process of this machine reaches an open file, whatever happens to its name. */
export const pathOfOpen = (file: FileHandle): string => `/proc/${process.pid}/fd/${file.fd}`;

/** Opens a place itself, also where it is a link, without access to its content. */
export const openItself = (path: string): Promise<FileHandle> => open(path, O_PATH | constants.O_NOFOLLOW);

/** Whether a path of the file system lies in a folder, or is it. */
function isWithin(folder: string, path: string): boolean {
  const rest = relative(folder, path);
  return rest === '' || (rest !== '..' && !rest.startsWith('../') && !isAbsolute(rest));
}

/** Checks a path within a volume. @throws PathEscapeError */
function checkRelative(path: string): void {
  if (isAbsolute(path)) throw new PathEscapeError(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..'))
    throw new PathEscapeError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
}

/**
 * Opens a path below a folder that others may change meanwhile: links within the folder are followed once, and then
 * each part is opened by its parent, which no link can take the place of.
 * @throws PathEscapeError for a path that leads out of the folder, or is being changed
 */
export async function openBelow(folder: string, path: string): Promise<FileHandle> {
  checkRelative(path);
  const root = await realpath(folder);
  const target = await realpath(resolve(root, path));
  if (!isWithin(root, target)) throw new PathEscapeError('the path leads out of its volume');
  return walk(root, partsOf(relative(root, target)), async (parent, name) => openPart(parent, name));
}

/**
 * Creates a folder and those above it below a folder that others may change meanwhile; links within the folder are
 * followed as far as the path exists.
 * @param mode permissions of new folders
 */
export async function makeFolderBelow(folder: string, path: string, mode: number): Promise<void> {
  checkRelative(path);
  const root = await realpath(folder);
  const parts = partsOf(path);
  const { existing, rest } = await longestExisting(root, parts);
  if (!isWithin(root, existing)) throw new PathEscapeError('the path leads out of its volume');
  const file = await walk(root, [...partsOf(relative(root, existing)), ...rest], async (parent, name) => {
    await ensureFolder(parent, name, mode);
    return openPart(parent, name);
  });
  await file.close();
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

async function longestExisting(root: string, parts: readonly string[]): Promise<{ existing: string; rest: string[] }> {
  for (let length = parts.length; length > 0; length--) {
    try {
      return { existing: await realpath(join(root, ...parts.slice(0, length))), rest: parts.slice(length) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return { existing: root, rest: [...parts] };
}

async function walk(
  root: string,
  parts: readonly string[],
  step: (parent: FileHandle, name: string) => Promise<FileHandle>,
): Promise<FileHandle> {
  let current = await open(root, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  for (const part of parts) {
    const parent = current;
    try {
      current = await step(parent, part);
    } finally {
      await parent.close();
    }
  }
  return current;
}

async function openPart(parent: FileHandle, name: string): Promise<FileHandle> {
  const file = await openItself(join(pathOfOpen(parent), name));
  let isLink = true;
  try {
    isLink = (await file.stat()).isSymbolicLink();
    if (!isLink) return file;
  } finally {
    if (isLink) await file.close();
  }
  throw new PathEscapeError('the path was changed while it was opened');
}

async function ensureFolder(parent: FileHandle, name: string, mode: number): Promise<void> {
  const path = join(pathOfOpen(parent), name);
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  const made = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    // The umask of the process does not hold here.
    await made.chmod(mode);
  } finally {
    await made.close();
  }
}

import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A text that was read, and what it is called in errors. */
export interface Input {
  /** Path of the file, or a name for standard input. */
  readonly name: string;
  /** The whole text. */
  readonly text: string;
}

/** A file that cannot be read. */
class InputError extends Error {
  override readonly name = 'InputError';
}

const MANIFESTS = new Set(['.yaml', '.yml', '.json']);
const STANDARD_INPUT = 'standard input';
/** Largest text in bytes: longer ones, or their results, may not fit into a string. */
const MOST_BYTES = 256 << 20;

/** Awaits the reading of a named input; reports an error and returns undefined when it fails. */
type Attempt = <T>(name: string, reading: Promise<T>) => Promise<T | undefined>;

/**
 * Yields the texts of files, of the manifests in directories in the order of their names, and of standard input (`-`).
 * Links to directories within a directory are not followed.
 * @param failed called for each input that cannot be read; the others are read all the same
 */
export async function* inputsOf(
  paths: readonly string[],
  recursive: boolean,
  stdin: AsyncIterable<Uint8Array | string>,
  failed: (error: InputError) => void,
): AsyncGenerator<Input> {
  const attempt: Attempt = async (name, reading) => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof InputError || isSystemError(error))) throw error;
      failed(new InputError(`${name}: ${error.message}`));
      return undefined;
    }
  };
  for (const path of paths) {
    const names = path === '-' ? [STANDARD_INPUT] : await filesAt(path, recursive, attempt);
    for (const name of names) {
      const text = await attempt(name, path === '-' ? textOf(stdin) : textAt(name));
      if (text !== undefined) yield { name, text };
    }
  }
}

async function textOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return decoded(Buffer.concat(pieces));
}

/** @throws InputError, or an error of the system */
async function textAt(path: string): Promise<string> {
  // Checked before, as reading a file beyond its own limits fails with another error.
  refuseLong((await stat(path)).size);
  return decoded(await readFile(path));
}

/** @throws InputError rather than to put signs for what it cannot read */
function decoded(bytes: Buffer): string {
  refuseLong(bytes.length);
  if (!isUtf8(bytes)) throw new InputError('is not a text in UTF-8');
  return bytes.toString();
}

function refuseLong(bytes: number): void {
  if (bytes > MOST_BYTES) throw new InputError(`is longer than ${MOST_BYTES >> 20} MiB`);
}

/** Returns the path itself, or the manifests in a directory; those of its subdirectories only if `recursive`. */
async function filesAt(path: string, recursive: boolean, attempt: Attempt): Promise<string[]> {
  const found = await attempt(path, stat(path));
  if (!found) return [];
  return found.isDirectory() ? manifestsIn(path, recursive, attempt) : [path];
}

async function manifestsIn(directory: string, recursive: boolean, attempt: Attempt): Promise<string[]> {
  const entries = (await attempt(directory, readdir(directory, { withFileTypes: true }))) ?? [];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files: string[] = [];
  for (const entry of entries) {
    const inner = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (recursive) for (const file of await manifestsIn(inner, true, attempt)) files.push(file);
    } else if (MANIFESTS.has(extname(entry.name)) && !(await leadsToDirectory(inner))) files.push(inner);
  }
  return files;
}

/** Whether a path leads to a directory; false for a dangling link, which is reported when it is read. */
const leadsToDirectory = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

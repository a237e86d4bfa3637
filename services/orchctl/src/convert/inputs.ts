import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A text that was read, and what it is called in errors. */
export interface Input {
  readonly name: string;
  readonly text: string;
}

/** A file that cannot be read. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const MANIFESTS = new Set(['.yaml', '.yml', '.json']);

/**
 * The texts of files, of the manifests in directories in the order of their names, and of standard input (`-`).
 * @param failed hears of what cannot be read; the rest is
 */
export async function* inputsOf(
  paths: readonly string[],
  recursive: boolean,
  stdin: AsyncIterable<Uint8Array | string>,
  failed: (error: InputError) => void,
): AsyncGenerator<Input> {
  for (const path of paths) {
    try {
      if (path === '-') yield { name: 'standard input', text: await textOf(stdin) };
      else for await (const file of filesAt(path, recursive)) yield { name: file, text: await readFile(file, 'utf8') };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      failed(new InputError(`${path}: ${error.message}`));
    }
  }
}

async function textOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

/** The path itself, or the manifests in it; those of directories in it only when asked for. */
async function* filesAt(path: string, recursive: boolean): AsyncGenerator<string> {
  if (!(await stat(path)).isDirectory()) {
    yield path;
    return;
  }
  for (const name of (await readdir(path)).sort()) {
    const inner = join(path, name);
    const isDirectory = (await stat(inner)).isDirectory();
    if (isDirectory && recursive) yield* filesAt(inner, true);
    if (!isDirectory && MANIFESTS.has(extname(name))) yield inner;
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a file to read it, and nothing else: a pipe would have the reader wait for ever. @throws Error */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is no file`);
}

/** Reads a whole file. @throws Error, also for one of more bytes than told */
export async function readRegular(path: string, longest: number): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size > longest) throw new Error(`${path} has ${size} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

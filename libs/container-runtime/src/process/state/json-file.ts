import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a value into a file, which has either its old content or the new one. @throws Error */
export function writeJson(path: string, value: unknown): void {
  const making = `${path}.${randomUUID()}`;
  try {
    writeFileSync(making, JSON.stringify(value), { mode: 0o600, flush: true });
    renameSync(making, path);
  } catch (error) {
    rmSync(making, { force: true });
    throw error;
  }
}

/** Reads a value; undefined if there is no such file. The caller knows who has written it. @throws SyntaxError */
export function readJson<T>(path: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as T;
}

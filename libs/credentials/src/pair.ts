import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificatesOf } from '@orch/authentication';
import type { Pair } from '@orch/serving';

/** Reads certificates, PEM. @throws Error that names the file, when it cannot be read or there is none in it */
export async function readBundle(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  within(file, () => certificatesOf(text));
  return text;
}

/** Reads the files of two options; undefined where neither names one. @throws Error when they do not belong together */
export async function readPair(
  certOption: string,
  certFile: string | undefined,
  keyOption: string,
  keyFile: string | undefined,
): Promise<Pair | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new Error(`--${certOption} and --${keyOption} must be given together`);
  const [cert, key] = await Promise.all([readBundle(certFile), readFile(keyFile, 'utf8')]);
  const privateKey = within(keyFile, () => createPrivateKey(key));
  if (!certificatesOf(cert)[0].checkPrivateKey(privateKey)) throw new Error(`${certFile} does not match ${keyFile}`);
  return { cert, key };
}

/** Runs `read`, and adds the file's name to its error. */
export function within<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

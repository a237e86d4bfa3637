import { X509Certificate } from 'node:crypto';
import type { NamedShownPair, Pair } from '@orch/serving';
import { readPair } from './pair.js';

/** A pair for given host names, with the path of its certificate's file. */
export interface NamedPair extends NamedShownPair {
  /** Path of the file that holds `cert`. */
  readonly certFile: string;
}

interface Entry {
  readonly files: readonly [cert: string, key: string];
  readonly names: readonly string[];
}

const OPTION = 'tls-sni-cert-key';

/** `certificate,key` or `certificate,key:name,name`. @throws RangeError */
function entryOf(text: string): Entry {
  const [files = '', names, ...more] = text.split(':');
  const [cert, key, ...others] = files.split(',').map((part) => part.trim());
  if (!cert || !key || others.length > 0 || more.length > 0)
    throw new RangeError(`${JSON.stringify(text)} is not of the form certificate,key or certificate,key:name,…`);
  const named = names?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  if (named.some((name) => !/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(name)))
    throw new RangeError(`${JSON.stringify(text)} contains an invalid name`);
  return { files: [cert, key], names: named };
}

/** @throws RangeError */
export const checkSniPairs = (entries: readonly string[]): void => void entries.map(entryOf);

/** Returns the paths of all files that entries name. @throws RangeError */
export const sniFiles = (entries: readonly string[]): string[] => entries.flatMap((entry) => [...entryOf(entry).files]);

/** Returns the DNS names in a certificate. */
function namesIn(cert: string): string[] {
  const { subjectAltName = '' } = new X509Certificate(cert);
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([^,]+)/g)].map(([, name = '']) => name.toLowerCase());
}

/** @throws Error for files that cannot be read or do not belong together */
export const readSniPairs = (entries: readonly string[]): Promise<NamedPair[]> =>
  Promise.all(
    entries.map(async (text) => {
      const { files, names } = entryOf(text);
      const pair = (await readPair(OPTION, files[0], OPTION, files[1])) as Pair;
      const shownFor = names.length > 0 ? names : namesIn(pair.cert);
      if (shownFor.length === 0)
        throw new Error(`${OPTION}: ${files[0]} contains no DNS names: add names after a colon`);
      return { ...pair, names: shownFor, certFile: files[0] };
    }),
  );

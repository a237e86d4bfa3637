import { type FieldError, invalidValue } from '@orch/machinery';
import { invalidEach } from '../../rules/checks.js';

const MAX_MODE = 0o777;

const leavesFolder = (path: string): boolean => path.split('/').includes('..');

/** A path may not lead out of where it starts. */
export const noBackstepErrors = (path: string): string[] => (leavesFolder(path) ? ["must not contain '..'"] : []);

/** A path below some folder. */
export const descendingPathErrors = (path: string): string[] => [
  ...(path.startsWith('/') ? ['must be a relative path'] : []),
  ...noBackstepErrors(path),
];

/** A path of a file that is made in a volume, where names that begin with two dots are the node's. */
export function validateFilePath(path: string, field: string): FieldError[] {
  const reserved = path.startsWith('..') && !path.startsWith('../');
  // `..` itself has both errors.
  const texts = [...descendingPathErrors(path), ...(reserved ? ["must not start with '..'"] : [])];
  return invalidEach(field, path, texts);
}

/** Permissions of a file, where they are given. */
export function validateMode<K extends 'mode' | 'defaultMode'>(
  owner: { readonly [member in K]?: number },
  path: string,
  name: K,
): FieldError[] {
  const mode = owner[name];
  if (mode === undefined || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalidValue(`${path}.${name}`, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

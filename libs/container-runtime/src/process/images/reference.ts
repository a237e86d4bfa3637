const DEFAULT_HOST = 'docker.io';
const DEFAULT_PATH = 'library';
const DEFAULT_TAG = 'latest';

/** Returns a reference with its host, path, and tag or digest: `docker.io/library/busybox:latest` for `busybox`. */
export function fullReference(reference: string): string {
  const [name = '', digest] = reference.split('@');
  const parts = name.split('/');
  const [first = ''] = parts;
  const hasHost = parts.length > 1 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasHost ? parts : [DEFAULT_HOST, ...(parts.length === 1 ? [DEFAULT_PATH] : []), ...parts];
  const last = path.at(-1) ?? '';
  const tagged = digest !== undefined || last.includes(':') ? path.join('/') : `${path.join('/')}:${DEFAULT_TAG}`;
  return digest === undefined ? tagged : `${tagged.replace(/:[^/:]*$/, '')}@${digest}`;
}

/** Returns the name of a repository, without tag and digest. */
export const repositoryOf = (reference: string): string =>
  (fullReference(reference).split('@')[0] ?? '').replace(/:[^/:]*$/, '');

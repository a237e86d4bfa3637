import { posix } from 'node:path';

/**
 * Path of a request to the server behind a proxy, from the path in the options of the request: cleaned, encoded, and
 * with a slash at its end where the path of the request has one; empty where that ends with the proxy itself.
 * @param requested path of the request
 */
export function proxiedPath(path: string, requested: string): string {
  const ending = requested.endsWith('/') ? '/' : '';
  if (path === '') return ending;
  const cleaned = posix.join('/', path).replace(/\/$/, '');
  return `${cleaned.split('/').map(encoded).join('/')}${ending || (path.endsWith('/') ? '/' : '')}` || '/';
}

/** Characters that stand for themselves in a segment, though encodeURIComponent escapes them. */
const PLAIN = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

/** Characters that encodeURIComponent leaves as they are, and the reference does not. */
const ESCAPED = /[!'()*]/g;

const encoded = (segment: string): string =>
  encodeURIComponent(segment.toWellFormed())
    .replace(PLAIN, (code) => decodeURIComponent(code))
    .replace(ESCAPED, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Splits a request target before the question mark. */
export function splitQuery(target: string): readonly [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
}

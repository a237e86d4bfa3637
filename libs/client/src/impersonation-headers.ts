import type { ImpersonationConfig } from './connection.js';

/** Characters of a header name that are not percent-encoded (RFC 9110, less the `%` itself). */
const PLAIN = /[A-Za-z0-9!#$&'*+\-.^_`|~]/;

/** Returns the headers that impersonate a user; names in lower case. */
export function impersonationHeaders({ user, uid, groups = [], extra = {} }: ImpersonationConfig) {
  const headers: Record<string, string | string[]> = { 'impersonate-user': utf8(user) };
  if (uid) headers['impersonate-uid'] = utf8(uid);
  if (groups.length > 0) headers['impersonate-group'] = groups.map(utf8);
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`impersonate-extra-${escaped(key)}`] = values.map(utf8);
  }
  return headers;
}

/** Headers are written byte by byte: these are the bytes of UTF-8. */
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const escaped = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return PLAIN.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

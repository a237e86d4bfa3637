import type { IncomingHttpHeaders } from 'node:http';
import { IMPERSONATE_PREFIX } from './impersonation.js';
import { type Authentication, authenticated, type UserInfo } from './user.js';

/** Common name in the certificate with which servers of one installation pass requests on to each other. */
export const FRONT_PROXY_NAME = 'front-proxy-client';

const USER = 'x-remote-user';
const UID = 'x-remote-uid';
const GROUP = 'x-remote-group';
const EXTRA_PREFIX = 'x-remote-extra-';
/** When the caller's credential ends, so that a watch that is passed on ends with it: a date and time (RFC 3339). */
const EXPIRES = 'x-remote-expires';
/** Whether the request has been judged by the audit policy of who passes it on, and is recorded there. */
const AUDITED = 'x-remote-audited';

/** Group names may hold any character, a header's list separator among them. */
const encode = encodeURIComponent;

/** As a part of a header's name, where capitals are lost and not everything may stand (RFC 9110, 5.6.2). */
const encodeName = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^a-z0-9._-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The headers that tell a server behind this one who asks (spec: "Authenticating proxy").
 * @param expiresAt when the caller's credential ends
 * @param audited whether the request is recorded here
 */
export function forwardedIdentity(user: UserInfo, expiresAt?: number, audited = false): Record<string, string> {
  const headers: Record<string, string> = { [USER]: encode(user.name), [GROUP]: user.groups.map(encode).join(',') };
  if (expiresAt !== undefined) headers[EXPIRES] = new Date(expiresAt).toISOString();
  if (audited) headers[AUDITED] = 'true';
  if (user.uid !== undefined) headers[UID] = encode(user.uid);
  for (const [key, values] of Object.entries(user.extra)) {
    headers[EXTRA_PREFIX + encodeName(key)] = values.map(encode).join(',');
  }
  return headers;
}

/**
 * Whether a header carries an identity, or asks for one; such headers from anybody else are not to be passed on, and what
 * was asked for has been granted or refused by whom it was asked of.
 */
export const isIdentityHeader = (name: string): boolean =>
  name === USER ||
  name === UID ||
  name === GROUP ||
  name === EXPIRES ||
  name === AUDITED ||
  name.startsWith(EXTRA_PREFIX) ||
  name.startsWith(IMPERSONATE_PREFIX);

/**
 * The caller that a front proxy speaks for; undefined when it names none. Only for requests that came with its certificate.
 * An end of the credential that cannot be read is taken for one that has passed.
 */
export function identityFrom(headers: IncomingHttpHeaders): Authentication | undefined {
  const name = single(headers[USER]);
  if (!name) return undefined;
  const uid = single(headers[UID]);
  // Keys come from header names: without a prototype none of them is special.
  const extra: Record<string, readonly string[]> = Object.create(null);
  for (const [header, value] of Object.entries(headers)) {
    if (header.startsWith(EXTRA_PREFIX)) extra[decode(header.slice(EXTRA_PREFIX.length))] = list(value);
  }
  const user = { name: decode(name), groups: list(headers[GROUP]), extra, ...(uid && { uid: decode(uid) }) };
  const expires = single(headers[EXPIRES]);
  const found = authenticated(user, 'proxy', expires === undefined ? undefined : Date.parse(expires) || 0);
  return headers[AUDITED] === 'true' ? { ...found, audited: true } : found;
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Several headers of one name arrive joined by commas, which no encoded value holds. */
const list = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : (value ?? '').split(','))
    .map((item) => decode(item.trim()))
    .filter((item) => item !== '');

import type { IncomingHttpHeaders } from 'node:http';
import { IMPERSONATE_PREFIX } from './impersonation.js';
import { type Authentication, authenticated, type UserInfo } from './user.js';

/**
 * Common name in the certificate of the installation's load balancers, which send their callers' identity to every
 * server.
 */
export const FRONT_PROXY_NAME = 'front-proxy-client';
/** Same for api-servers that proxy watches to gateways: only gateways accept it, and only for watches. */
export const GATEWAY_CLIENT_NAME = 'gateway-client';
/**
 * Same for all servers towards the servers of other group-versions (aggregation): no server of the installation accepts
 * it.
 */
export const AGGREGATOR_NAME = 'aggregator-client';

/** Headers in which a front proxy sends the identity of callers. Names in lower case. */
export interface RequestHeaderNames {
  /** Headers of the user's name; the first with a value is used. */
  readonly usernames: readonly string[];
  /** Headers of groups; each value is a group. */
  readonly groups: readonly string[];
  /** Prefixes of names; the rest of a name is the key of an extra value. */
  readonly extraPrefixes: readonly string[];
}

/** Normalizes the names from options: trimmed, in lower case. */
export const requestHeaderNames = (
  usernames: readonly string[],
  groups: readonly string[],
  extraPrefixes: readonly string[],
): RequestHeaderNames => {
  const plain = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase());
  return { usernames: plain(usernames), groups: plain(groups), extraPrefixes: plain(extraPrefixes) };
};

const USER = 'x-remote-user';
const UID = 'x-remote-uid';
const GROUP = 'x-remote-group';
const EXTRA_PREFIX = 'x-remote-extra-';
/** Expiry of the caller's credential, so that a proxied watch ends with it: a date and time (RFC 3339). */
const EXPIRES = 'x-remote-expires';
/** Whether the proxying server has evaluated its audit policy for the request, and recorded it. */
const AUDITED = 'x-remote-audited';

/**
 * States that the values are encoded by {@link forwardedIdentity}, unlike those of third-party front proxies. It is
 * accepted only with a certificate of the installation itself, so that other values are never misread.
 */
const ENCODING = 'x-remote-encoding';
const PERCENT = 'percent';

/** Group names may hold any character, a header's list separator among them. */
const encode = encodeURIComponent;

/** Encodes a part of a header's name, which is case-insensitive and limited in its characters (RFC 9110, 5.6.2). */
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
 * Returns the headers that send a caller's identity to another server of the installation (spec: "Authenticating
 * proxy"): they preserve names with any characters, and the expiry of the credential.
 * @param expiresAt expiry of the caller's credential
 * @param audited whether the request is recorded here
 */
export function forwardedIdentity(user: UserInfo, expiresAt?: number, audited = false): Record<string, string> {
  const headers: Record<string, string> = {
    [ENCODING]: PERCENT,
    [USER]: encode(user.name),
    [GROUP]: user.groups.map(encode).join(','),
  };
  if (expiresAt !== undefined) headers[EXPIRES] = new Date(expiresAt).toISOString();
  if (audited) headers[AUDITED] = 'true';
  if (user.uid !== undefined) headers[UID] = encode(user.uid);
  for (const [key, values] of Object.entries(user.extra)) {
    headers[EXTRA_PREFIX + encodeName(key)] = values.map(encode).join(',');
  }
  return headers;
}

/**
 * Whether a header carries an identity, or an impersonation; such headers from other callers must not be forwarded, and
 * an impersonation has been granted or refused by the server that received it.
 */
export const isIdentityHeader = (name: string): boolean =>
  name === USER ||
  name === UID ||
  name === GROUP ||
  name === EXPIRES ||
  name === ENCODING ||
  name === AUDITED ||
  name.startsWith(EXTRA_PREFIX) ||
  name.startsWith(IMPERSONATE_PREFIX);

/** Whether a front proxy sends identity in a header. */
export const isRequestHeader = ({ usernames, groups, extraPrefixes }: RequestHeaderNames, name: string): boolean =>
  usernames.includes(name) || groups.includes(name) || extraPrefixes.some((prefix) => name.startsWith(prefix));

/** Whether headers are encoded by {@link forwardedIdentity}. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean => headers[ENCODING] !== undefined;

/**
 * Returns the caller that another server of the installation speaks for; undefined when it names none, or in an unknown
 * encoding. Only for requests that came with a certificate of the installation. An unreadable expiry counts as passed.
 */
export function identityFrom(headers: IncomingHttpHeaders): Authentication | undefined {
  const name = single(headers[USER]);
  if (!name || headers[ENCODING] !== PERCENT) return undefined;
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

/**
 * Returns the caller that any other front proxy speaks for; undefined when it names none. Values are not encoded, each
 * is in a header of its own (pkg/authentication/request/headerrequest of k8s.io/apiserver); only for requests that came
 * with its certificate.
 * @param rawHeaders names and values in turn, as they came
 */
export function plainIdentity(rawHeaders: readonly string[], names: RequestHeaderNames): Authentication | undefined {
  const sent = sentHeaders(rawHeaders);
  const name = names.usernames.map((header) => sent.get(header)?.[0]).find((value) => value);
  if (!name) return undefined;
  const groups = names.groups.flatMap((header) => sent.get(header) ?? []).filter((group) => group !== '');
  const extra: Record<string, string[]> = Object.create(null);
  for (const prefix of names.extraPrefixes) {
    for (const [header, values] of sent) {
      if (!header.startsWith(prefix)) continue;
      const key = decode(header.slice(prefix.length));
      extra[key] = [...(extra[key] ?? []), ...values];
    }
  }
  return authenticated({ name, groups, extra }, 'proxy');
}

/** Returns all values of each header, by its name in lower case. */
function sentHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
  const sent = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase();
    const values = sent.get(name) ?? [];
    values.push(asText(String(rawHeaders[at + 1])));
    sent.set(name, values);
  }
  return sent;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Node reads each byte as a character; invalid UTF-8 stays so, as two names must not become one. */
function asText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those of ASCII are the same in both.
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Several headers of one name arrive joined by commas, which no encoded value holds. */
const list = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : (value ?? '').split(','))
    .map((item) => decode(item.trim()))
    .filter((item) => item !== '');

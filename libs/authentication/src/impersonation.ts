import { badRequest } from '@orch/machinery';
import { type ServiceAccountName, serviceAccountGroups, serviceAccountOf } from './service-account-name.js';
import type { UserInfo } from './user.js';

/** Prefix of impersonation headers. */
export const IMPERSONATE_PREFIX = 'impersonate-';

const USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA_PREFIX = 'impersonate-extra-';

const ANONYMOUS_NAME = 'system:anonymous';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

/** Identity that a caller asks to impersonate; absent parts are empty. */
export interface Impersonation {
  /** Name of the user; never empty. */
  readonly name: string;
  /** Set when the name is that of a service account. */
  readonly serviceAccount?: ServiceAccountName;
  /** Groups as they were sent, repeats included. */
  readonly groups: readonly string[];
  /** Extra values; keys in lower case and decoded, in order of arrival. */
  readonly extra: ReadonlyMap<string, readonly string[]>;
  /** Unset if none was requested. */
  readonly uid?: string;
}

/** Whether any header requests impersonation; costs next to nothing if none does. */
export function asksToImpersonate(headers: Readonly<Record<string, unknown>>): boolean {
  for (const name in headers) if (name.startsWith(IMPERSONATE_PREFIX)) return true;
  return false;
}

/**
 * Reads the impersonation headers (spec: "Impersonation").
 * @param rawHeaders names and values in turn, as Node gives them: joined ones would make one group of two, or two of
 * one
 * @param maxValues limit of the values in all headers together
 * @throws StatusError 400 for other parts without a user, for unknown headers, and for too many values
 */
export function impersonationOf(rawHeaders: readonly string[], maxValues: number): Impersonation {
  let [name, uid] = ['', ''];
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  const asked: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]?.toLowerCase() ?? '';
    if (!header.startsWith(IMPERSONATE_PREFIX)) continue;
    const value = decodeUtf8(rawHeaders[at + 1] ?? '');
    asked.push(`${header} ${JSON.stringify(value)}`);
    if (asked.length > maxValues) throw badRequest(`more than ${maxValues} values are asked to be impersonated`);
    if (header === USER) name ||= value;
    else if (header === UID) uid ||= value;
    else if (header === GROUP) groups.push(value);
    else addExtra(extra, header, value);
  }
  if (name === '') throw badRequest(`requested [${asked.join(' ')}] without impersonating a user`);
  const serviceAccount = serviceAccountOf(name);
  return { name, groups, extra, ...(serviceAccount && { serviceAccount }), ...(uid !== '' && { uid }) };
}

function addExtra(extra: Map<string, string[]>, header: string, value: string): void {
  const key = header.startsWith(EXTRA_PREFIX) ? unescaped(header.slice(EXTRA_PREFIX.length)) : '';
  // Ignoring a requested restriction would leave the client with more rights than it expects.
  if (key === '') throw badRequest(`the header ${header} asks for an impersonation that is not known`);
  const values = extra.get(key);
  if (values) values.push(value);
  else extra.set(key, [value]);
}

/** Decodes UTF-8: headers come as bytes, one per character. */
const decodeUtf8 = (value: string): string => Buffer.from(value, 'latin1').toString();

/** Decodes a key; an invalid escape stays as it is, as in the reference (`unescapeExtraKey`). */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/**
 * Returns the impersonated user, once each value has been granted. A service account without groups has the two of its
 * kind; a user that is not anonymous is authenticated unless a group says which of the two it is.
 */
export function impersonated({ name, serviceAccount, groups, extra, uid }: Impersonation): UserInfo {
  const own = groups.length > 0 || !serviceAccount ? groups : serviceAccountGroups(serviceAccount.namespace);
  return {
    name,
    groups: [...own, ...whetherAuthenticated(name, own)],
    extra: Object.assign(Object.create(null), Object.fromEntries(extra)),
    ...(uid !== undefined && { uid }),
  };
}

function whetherAuthenticated(name: string, groups: readonly string[]): string[] {
  if (name === ANONYMOUS_NAME) return groups.includes(UNAUTHENTICATED) ? [] : [UNAUTHENTICATED];
  const isExplicit = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return isExplicit ? [] : [AUTHENTICATED];
}

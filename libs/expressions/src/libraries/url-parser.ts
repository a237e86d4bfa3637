/** Thrown for texts that are no URLs, with the reference's message. */
export class UrlError extends Error {}

/** A parsed URL, as Go reads it (net/url), which differs from browsers. */
export interface ParsedUrl {
  /** Scheme in lower case; empty if absent. */
  readonly scheme: string;
  /** Text behind the scheme if it is not a path. */
  readonly opaque: string;
  /** User and password as written, with `@`; empty if absent. */
  readonly user: string;
  /** Host with its port and, for IPv6, its brackets. */
  readonly host: string;
  /** Path as written, or with escapes if that is not a valid one. */
  readonly path: string;
  /** Query as written, without `?`. */
  readonly query: string;
  /** Fragment as written, without `#`. */
  readonly fragment: string;
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const PORT = /^(?::\d*)?$/;
/** Pattern of paths that need no escapes. */
const PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/;
/** Characters that are not escaped in a path that needs escapes; {@link PATH} allows some more. */
const PLAIN_IN_PATH = /[A-Za-z0-9\-_.~$&+,/:;=@]/;
const HOST_REFUSED = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u;

/** Parses a URL that a request may have: with a scheme or an absolute path. @throws UrlError */
export function parseRequestUrl(text: string): ParsedUrl {
  parse(text, text, true);
  // Go keeps a fragment in the path there, and separates it here.
  const hash = text.indexOf('#');
  const parts = parse(text, hash < 0 ? text : text.slice(0, hash), false);
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  checkEscapes(text, fragment);
  return { ...parts, fragment };
}

const refuse = (text: string, why: string): never => {
  throw new UrlError(`parse ${JSON.stringify(text)}: ${why}`);
};

function parse(whole: string, text: string, request: boolean): ParsedUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) refuse(whole, 'net/url: invalid control character in URL');
  if (text === '' && request) refuse(whole, 'empty url');
  if (text.startsWith(':')) refuse(whole, 'missing protocol scheme');
  const scheme = (SCHEME.exec(text)?.[1] ?? '').toLowerCase();
  const [hierarchy, query] = cut(scheme === '' ? text : text.slice(scheme.length + 1), '?');
  const empty = { scheme, opaque: '', user: '', host: '', path: '', query, fragment: '' };
  if (text === '*') return { ...empty, path: '*' };
  if (!hierarchy.startsWith('/')) {
    if (scheme !== '') return { ...empty, opaque: hierarchy };
    if (request) refuse(whole, 'invalid URI for request');
    if (cut(hierarchy, '/')[0].includes(':')) refuse(whole, 'first path segment in URL cannot contain colon');
  }
  const hasAuthority = hierarchy.startsWith('//') && (scheme !== '' || (!request && !hierarchy.startsWith('///')));
  if (!hasAuthority) return { ...empty, path: escapedPath(whole, hierarchy) };
  const slash = hierarchy.indexOf('/', 2);
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash);
  const path = escapedPath(whole, slash < 0 ? '' : hierarchy.slice(slash));
  return { ...empty, ...authorityOf(whole, authority), path };
}

const cut = (text: string, at: string): [string, string] => {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
};

function authorityOf(whole: string, authority: string): { readonly user: string; readonly host: string } {
  const at = authority.lastIndexOf('@');
  const host = hostOf(whole, authority.slice(at + 1));
  const user = authority.slice(0, at + 1);
  if (!USER.test(user)) refuse(whole, 'net/url: invalid userinfo');
  checkEscapes(whole, user);
  return { user, host };
}

function hostOf(whole: string, host: string): string {
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    if (close < 0) refuse(whole, "missing ']' in host");
    checkPort(whole, host.slice(close + 1));
    return host;
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0) checkPort(whole, host.slice(colon));
  checkEscapes(whole, host);
  const escaped = /%[0-7][0-9a-fA-F]/.exec(host.replaceAll('%25', ''));
  if (escaped) refuse(whole, `invalid URL escape ${JSON.stringify(escaped[0])}`);
  const refused = HOST_REFUSED.exec(host);
  if (refused) refuse(whole, `invalid character ${JSON.stringify(refused[0])} in host name`);
  return unescaped(host);
}

function checkPort(whole: string, port: string): void {
  if (!PORT.test(port)) refuse(whole, `invalid port ${JSON.stringify(port)} after host`);
}

function checkEscapes(whole: string, text: string): void {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text);
  if (wrong) refuse(whole, `invalid URL escape ${JSON.stringify(wrong[0])}`);
}

/** Decodes escapes to bytes, as text. */
const unescaped = (text: string): string => (text.includes('%') ? bytesOf(text).toString() : text);

function bytesOf(text: string): Buffer {
  const pieces: Buffer[] = [];
  for (const [piece] of text.matchAll(/%[0-9a-fA-F]{2}|[^%]+|%/g)) {
    const isEscape = piece.length === 3 && piece.startsWith('%');
    pieces.push(isEscape ? Buffer.of(Number.parseInt(piece.slice(1), 16)) : Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

function escapedPath(whole: string, path: string): string {
  checkEscapes(whole, path);
  if (PATH.test(path)) return path;
  return Array.from(bytesOf(path), (byte) => {
    const char = String.fromCharCode(byte);
    return PLAIN_IN_PATH.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** The host without port and brackets. */
export const hostNameOf = ({ host }: ParsedUrl): string => {
  const port = portOf({ host });
  const name = port !== '' || host.endsWith(':') ? host.slice(0, -port.length - 1) : host;
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
};

/** Returns the port; empty if absent. */
export const portOf = ({ host }: Pick<ParsedUrl, 'host'>): string =>
  /:(\d*)$/.exec(host.replace(/^.*\]/, ''))?.[1] ?? '';

/** Parses the values of a query by key, in order; invalid parts are left out. */
export function queryOf({ query }: ParsedUrl): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || /%(?![0-9a-fA-F]{2})/.test(pair)) continue;
    const [key, value] = cut(pair.replaceAll('+', ' '), '=').map(unescaped) as [string, string];
    const values = found.get(key);
    if (values) values.push(value);
    else found.set(key, [value]);
  }
  return found;
}

/** Formats the URL. */
export function formatUrl({ scheme, opaque, user, host, path, query, fragment }: ParsedUrl): string {
  const authority = user + host === '' ? '' : `//${user}${host}`;
  const head = scheme === '' ? '' : `${scheme}:`;
  return `${head}${opaque || authority + path}${query && `?${query}`}${fragment && `#${fragment}`}`;
}

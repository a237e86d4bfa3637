/** The parts of an address as Go's net/url parses it: also of texts that are no complete address. */
export interface UrlParts {
  /** Scheme in lower case; '' when there is none. */
  readonly scheme: string;
  /** Host with the port; '' when there is none. */
  readonly host: string;
  /** Whether it has a user, with or without a password. */
  readonly hasUser: boolean;
  /** Text behind `?`; '' when there is none. */
  readonly query: string;
  /** Text behind `#`; '' when there is none. */
  readonly fragment: string;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const BAD_ESCAPE = /%(?![0-9a-f]{2}).{0,2}/i;

/** @returns the parts, or an error message */
export function parseUrl(text: string): UrlParts | string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return wrong(text, 'net/url: invalid control character in URL');
  const [whole, fragment] = cut(text, '#');
  if (whole.startsWith(':')) return wrong(text, 'missing protocol scheme');
  const scheme = SCHEME.exec(whole)?.[1] ?? '';
  const [rest, query] = cut(scheme === '' ? whole : whole.slice(scheme.length + 1), '?');
  const parts = { scheme: scheme.toLowerCase(), host: '', hasUser: false, query, fragment };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return parts;
    if ((rest.split('/')[0] ?? '').includes(':')) return wrong(text, 'first path segment in URL cannot contain colon');
  }
  const badEscape = BAD_ESCAPE.exec(rest)?.[0];
  if (badEscape !== undefined) return wrong(text, `invalid URL escape ${JSON.stringify(badEscape)}`);
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return parts;
  const authority = rest.slice(2).split('/')[0] ?? '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const fault = /[^\w\-.:~!$&'()*+,;=%@]/.test(authority.slice(0, Math.max(at, 0)))
    ? 'net/url: invalid userinfo'
    : hostFault(host);
  return fault === undefined ? { ...parts, host, hasUser: at >= 0 } : wrong(text, fault);
}

const wrong = (text: string, why: string): string => `parse ${JSON.stringify(text)}: ${why}`;

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function hostFault(host: string): string | undefined {
  const bracket = host.startsWith('[');
  const end = host.lastIndexOf(']');
  if (bracket && end < 0) return "missing ']' in host";
  const port = bracket
    ? host.slice(end + 1)
    : host.slice(host.lastIndexOf(':') < 0 ? host.length : host.lastIndexOf(':'));
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const strange = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return strange === undefined ? undefined : `invalid character ${JSON.stringify(strange)} in host name`;
}

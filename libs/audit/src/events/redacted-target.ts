/**
 * Query parameters that carry credentials: this API ignores them, but clients send them, and other servers accept them.
 */
const SECRET: ReadonlySet<string> = new Set(['access_token', 'id_token', 'refresh_token', 'token']);
const REDACTED = 'REDACTED';
/** Whether a target may have such a parameter, in any spelling. */
const MAY_BE_SECRET = /token|%/i;

/**
 * Returns a request target for the audit log: without the values of query parameters that are credentials (RFC 6750
 * section 2.3).
 */
export function redactedTarget(target: string): string {
  const at = target.indexOf('?');
  if (at < 0 || !MAY_BE_SECRET.test(target.slice(at))) return target;
  const pairs = target.slice(at + 1).split('&');
  return `${target.slice(0, at)}?${pairs.map(redacted).join('&')}`;
}

function redacted(pair: string): string {
  const end = pair.indexOf('=');
  if (end < 0) return pair;
  const name = pair.slice(0, end);
  return SECRET.has(decoded(name).toLowerCase()) ? `${name}=${REDACTED}` : pair;
}

/** Decodes a name as parsers of the query do; returns it unchanged if it is malformed. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Query parameters that carry credentials: of no meaning to this API, but clients put them there, and other servers take them. */
const SECRET: ReadonlySet<string> = new Set(['access_token', 'id_token', 'refresh_token', 'token']);
const REDACTED = 'REDACTED';
/** Whether there can be any, however it is written. */
const MAY_BE_SECRET = /token|%/i;

/** A request target as it may be recorded: without the values of query parameters that are credentials (RFC 6750 section 2.3). */
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

/** Decodes a name as readers of the query do; returns it unchanged where it is malformed. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

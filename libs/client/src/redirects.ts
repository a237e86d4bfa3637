/** The parts of an answer that a redirect uses. */
interface Redirect {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Returns the target of a redirect that keeps method and body (307, 308), as path with query.
 * @param origin of the server, which must stay the same: it alone was named, is verified, and should get the
 * credentials
 * @param target path with query of the request
 * @returns undefined for other answers, and for other servers
 */
export function redirectedTo({ statusCode, headers }: Redirect, origin: string, target: string): string | undefined {
  const { location } = headers;
  if ((statusCode !== 307 && statusCode !== 308) || typeof location !== 'string') return undefined;
  const base = origin + target;
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  return url.origin === origin && url.username === '' && url.password === '' ? url.pathname + url.search : undefined;
}

/** Twenty days: the longest timer is 2 ** 31 - 1 ms. */
const LONGEST_MS = 20 * 24 * 60 * 60 * 1000;

/** Limits on the lifetime of a watch. */
export interface WatchLimits {
  /** A watch without `timeoutSeconds` ends after a random time between once and twice this, seconds. */
  readonly minRequestTimeoutSeconds: number;
  /** A watch ends after a random time between half of this and this, whatever it asked for; 0 for no such end. Milliseconds. */
  readonly maxWatchAgeMs: number;
}

/**
 * Milliseconds after which a proxied watch must have ended: the timeout that its client asked for, else the longest
 * that a server chooses.
 */
export function handedLifetimeMs(
  query: URLSearchParams,
  { minRequestTimeoutSeconds, maxWatchAgeMs }: WatchLimits,
): number {
  // A malformed number of seconds is left to the other server to refuse.
  const asked = Number(query.get('timeoutSeconds') ?? '');
  const wanted = asked > 0 ? asked * 1000 : 2 * minRequestTimeoutSeconds * 1000;
  return Math.min(maxWatchAgeMs === 0 ? wanted : Math.min(wanted, maxWatchAgeMs), LONGEST_MS);
}

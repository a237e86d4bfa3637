import { systemClock } from '@orch/runtime';
import type { RequestContext } from '../http/context.js';

/** The longest time that a timer can be set to, ms. */
const LONGEST_MS = 2 ** 31 - 1;

/** Ends a stream once the credential that it was opened with has expired; a no-op for one that does not expire. */
export function endWithCredential(
  { authentication: { expiresAt }, res }: Pick<RequestContext, 'authentication' | 'res'>,
  end: () => void,
): void {
  if (expiresAt === undefined) return;
  const cancel = systemClock.after(Math.min(expiresAt - systemClock.wall(), LONGEST_MS), end);
  res.once('close', cancel);
}

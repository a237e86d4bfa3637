import { LONGEST_TIMER_MS, systemClock } from '@orch/runtime';
import type { RequestContext } from '../http/context.js';

/** Ends a stream once the credential that it was opened with has expired; a no-op for one that does not expire. */
export function endWithCredential(
  { authentication: { expiresAt }, res }: Pick<RequestContext, 'authentication' | 'res'>,
  end: () => void,
): void {
  if (expiresAt === undefined) return;
  const cancel = systemClock.after(Math.min(expiresAt - systemClock.wall(), LONGEST_TIMER_MS), end);
  res.once('close', cancel);
}

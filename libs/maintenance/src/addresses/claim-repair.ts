import type { Controller } from '@orch/controllers';
import type { ClaimCheck } from './claim-check.js';

interface ClaimRepairOptions {
  readonly check: Pick<ClaimCheck, 'run'>;
  /** Milliseconds between checks. */
  readonly intervalMs: number;
}

/** The only key: a check compares all claims with all Services. */
const ALL = 'all';
/** First wait before a failed check is retried, milliseconds. */
const RETRY_MS = 1_000;

/**
 * Returns a controller that checks the claims periodically, with the identity of the server, which does this in
 * kube-apiserver, too. The leading process keeps running it, as it knows since when claims have been unused.
 */
export const claimRepair = ({ check, intervalMs }: ClaimRepairOptions): Controller => ({
  name: 'service-claims',
  // No event wakes it: problems are those without events.
  sources: [{ subscribe: () => () => undefined, keys: () => [ALL] }],
  retry: { firstMs: Math.min(RETRY_MS, intervalMs), longestMs: intervalMs },
  async reconcile(_key, run) {
    await check.run(run);
    return intervalMs;
  },
});

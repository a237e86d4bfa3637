import type { Controller } from '@orch/controllers';
import type { ClaimCheck } from './claim-check.js';

interface ClaimRepairOptions {
  readonly check: Pick<ClaimCheck, 'run'>;
  /** Milliseconds between looks. */
  readonly intervalMs: number;
}

/** The one key: a look compares all claims with all Services. */
const ALL = 'all';
/** First wait until a look that failed is made again, milliseconds. */
const RETRY_MS = 1_000;

/**
 * Checks the claims again and again, as the server itself, which does this in kube-apiserver, too. The process that leads goes on, as it
 * knows since when what was without use.
 */
export const claimRepair = ({ check, intervalMs }: ClaimRepairOptions): Controller => ({
  name: 'service-claims',
  // Nothing wakes it: what is wrong is what nobody was told of.
  sources: [{ subscribe: () => () => undefined, keys: () => [ALL] }],
  retry: { firstMs: Math.min(RETRY_MS, intervalMs), longestMs: intervalMs },
  async reconcile(_key, run) {
    await check.run(run);
    return intervalMs;
  },
});

import type { TokenUse } from '@orch/authentication';
import type { Metrics } from '@orch/runtime';

/** Counts uses of service account tokens: legacy ones without an audience, overdue for renewal, and others. */
export function serviceAccountTokenUses(metrics: Metrics): (use: TokenUse) => void {
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `serviceaccount_${name}_tokens_total`, help, labels: [] as const });
  const uses = {
    legacy: counter('legacy', 'Uses of tokens of service accounts that are for no audience.'),
    stale: counter('stale', 'Uses of tokens of service accounts that should have been renewed.'),
    valid: counter('valid', 'Uses of tokens of service accounts that are to be renewed later.'),
  };
  return (use) => uses[use].with().inc();
}

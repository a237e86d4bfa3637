import type { Metrics } from '@orch/runtime';
import type { ClaimFinding } from './claim-finding.js';

/** Returns a function that counts problems with addresses and node ports of Services. */
export function claimFindings(metrics: Metrics): (finding: Pick<ClaimFinding, 'range' | 'kind'>) => void {
  const counter = metrics.counter({
    name: 'orch_service_claim_findings_total',
    help: 'Number of addresses and node ports of Services that had no claim, were used by several Services, or were outside of their range.',
    labels: ['range', 'kind'] as const,
  });
  return ({ range, kind }) => counter.with(range, kind).inc();
}

import { SIGNERS } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { Metrics } from '@orch/runtime';

/** A certificate that was issued for a request with a requested lifetime. */
interface IssuedDuration {
  readonly signerName: string;
  /** Requested lifetime, seconds. */
  readonly seconds: number;
  /** Lifetime of the certificate, milliseconds; undefined if it cannot be parsed. */
  readonly lifetime: number | undefined;
}

/** Tolerance: certificates begin in the past, and a deviation of a twentieth is acceptable. */
const TOLERATED_MS = 300_000;
const TOLERATED_SHARE = 0.05;

/**
 * Counts how often requested lifetimes are granted. All custom signers share one label, as clients choose their names.
 */
export function requestDurations(metrics: Metrics, names: Names): (issued: IssuedDuration) => void {
  const labels = ['signerName'] as const;
  const requested = metrics.counter({
    name: 'apiserver_certificates_registry_csr_requested_duration_total',
    help: "Number of certificates issued for requests with a duration, by signer; 'other' for custom signers.",
    labels,
  });
  const honored = metrics.counter({
    name: 'apiserver_certificates_registry_csr_honored_duration_total',
    help: "Number of certificates issued with about the requested duration, by signer; 'other' for custom signers.",
    labels,
  });
  const own = new Set(SIGNERS.map(({ canonicalName }) => names.key(canonicalName)));
  return ({ signerName, seconds, lifetime }) => {
    const signer = own.has(signerName) ? signerName : 'other';
    requested.with(signer).inc();
    const wanted = seconds * 1000;
    if (lifetime === undefined || Math.abs(wanted - lifetime) >= TOLERATED_MS + wanted * TOLERATED_SHARE) return;
    honored.with(signer).inc();
  };
}

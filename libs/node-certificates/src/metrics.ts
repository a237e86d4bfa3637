import type { Metrics } from '@orch/runtime';
import { type CertificatePair, validityOf } from './pair.js';

/** Purposes of certificates of an agent. */
type Purpose = 'client' | 'server';

/** Metrics of a certificate that is renewed; names and buckets of the reference. */
export interface RenewalMetrics {
  /** Counts an attempt that has failed. */
  failed(): void;
  /** Records how long the certificate before lived, milliseconds. */
  rotated(livedMs: number): void;
}

const FAILURES = {
  client: 'kubelet_certificate_manager_client_expiration_renew_errors',
  server: 'kubelet_server_expiration_renew_errors',
} as const;
const CERTIFICATE = { client: 'client certificate', server: 'serving certificate' } as const;
const AGE_BUCKETS = [
  60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000,
] as const;

/** Declares the metrics of a certificate. @param now milliseconds since 1970 */
export function renewalMetrics(
  metrics: Metrics,
  purpose: Purpose,
  current: () => CertificatePair | undefined,
  now: () => number,
): RenewalMetrics {
  const failures = metrics
    .counter({ name: FAILURES[purpose], help: 'Counter of certificate renewal errors.', labels: [] as const })
    .with();
  metrics.observedGauge(
    {
      name: `kubelet_certificate_manager_${purpose}_ttl_seconds`,
      help: `Gauge of the TTL (time-to-live) of the node agent's ${CERTIFICATE[purpose]}. The value is in seconds until certificate expiry (negative if already expired). If there is none, the value will be +INF.`,
      labels: [] as const,
    },
    () => [[[], secondsLeft(current(), now())]],
  );
  const ages = purpose === 'server' ? rotationAges(metrics) : undefined;
  return { failed: () => failures.inc(), rotated: (livedMs) => ages?.observe(livedMs / 1000) };
}

const rotationAges = (metrics: Metrics) =>
  metrics
    .histogram({
      name: 'kubelet_certificate_manager_server_rotation_seconds',
      help: 'Histogram of the number of seconds the previous certificate lived before being rotated.',
      labels: [] as const,
      buckets: AGE_BUCKETS,
    })
    .with();

const secondsLeft = (pair: CertificatePair | undefined, now: number): number =>
  pair ? Math.trunc((validityOf(pair).to - now) / 1000) : Number.POSITIVE_INFINITY;

import type { Metrics } from '@orch/runtime';
import type { CertificateEnds } from './certificate-ends.js';

/** Reports when the certificates that this process uses expire. */
export function observeCertificates(metrics: Metrics, ends: Pick<CertificateEnds, 'series'>): void {
  metrics.observedGauge(
    {
      name: 'orch_certificate_expiry_timestamp_seconds',
      help: 'Expiry of the first certificate to expire in a file that this process uses, in seconds since 1970, by its purpose or by the option that names the file; for CA bundles in API objects (ca-bundle), by the path of the object.',
      labels: ['certificate', 'file'] as const,
    },
    () => ends.series(),
  );
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LEFT_BUCKETS = [
  0,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
];

/** Returns a recorder of the client certificates of requests: milliseconds until they expire. */
export function clientCertificates(metrics: Metrics): (left: number) => void {
  const series = metrics
    .histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Remaining lifetime of the client certificate that authenticated a request.',
      labels: [] as const,
      buckets: LEFT_BUCKETS,
    })
    .with();
  return (left) => series.observe(left / 1000);
}

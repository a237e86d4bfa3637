import { Metrics } from '@orch/runtime';
import { expect, test } from 'vitest';
import { observeCertificates } from './certificate-metrics.js';

test('ends of certificates are told by what they are for, and by file', async () => {
  const metrics = new Metrics();
  observeCertificates(metrics, { series: () => [[['client-ca', '/etc/ca.crt'], 1_800_000_000]] });
  expect((await metrics.text()).body).toContain(
    'orch_certificate_expiry_timestamp_seconds{certificate="client-ca",file="/etc/ca.crt"} 1800000000',
  );
});

import { Metrics } from '@orch/runtime';
import { RequestMetrics } from '@orch/serving';
import { expect, test } from 'vitest';
import { observeCertificates, outgoingCuts } from './process-observer.js';

test('ends of certificates are told by what they are for, and by file', async () => {
  const metrics = new Metrics();
  observeCertificates(metrics, { series: () => [[['client-ca', '/etc/ca.crt'], 1_800_000_000]] });
  expect((await metrics.text()).body).toContain(
    'orch_certificate_expiry_timestamp_seconds{certificate="client-ca",file="/etc/ca.crt"} 1800000000',
  );
});

test('what is to be told of from the first time on has a series before it', async () => {
  const metrics = new Metrics();
  outgoingCuts(metrics);
  new RequestMetrics(metrics);
  const { body } = await metrics.text();
  for (const reason of ['vanished', 'silent', 'deadline'])
    expect(body).toContain(`orch_outgoing_streams_cut_total{reason="${reason}"} 0`);
  for (const limit of ['requests', 'lists', 'head', 'connections'])
    expect(body).toContain(`orch_limit_refusals_total{limit="${limit}"} 0`);
});

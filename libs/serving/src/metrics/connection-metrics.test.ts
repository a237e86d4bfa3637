import { Metrics } from '@orch/runtime';
import { expect, test } from 'vitest';
import { outgoingCuts } from './connection-metrics.js';
import { RequestMetrics } from './request-metrics.js';

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

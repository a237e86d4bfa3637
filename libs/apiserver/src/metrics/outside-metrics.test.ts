import { Metrics } from '@orch/runtime';
import { expect, it } from 'vitest';
import { ErrorCounts } from './error-counts.js';
import { clockOffset, observeRedis, reviewCalls } from './outside-metrics.js';

const linesOf = async (metrics: Metrics): Promise<string[]> =>
  (await metrics.text()).body.split('\n').filter((line) => line.startsWith('orch_'));

it('counts questions to webhooks by whether there was an answer, from none on', async () => {
  const metrics = new Metrics();
  const asked = reviewCalls(metrics)('authorization');
  for (const failed of [true, false, true]) asked(failed);
  expect(await linesOf(metrics)).toEqual([
    'orch_review_webhook_calls_total{webhook="authorization",result="success"} 1',
    'orch_review_webhook_calls_total{webhook="authorization",result="failure"} 2',
  ]);
});

it('tells of Redis by what is shared there, and nothing without it', async () => {
  const metrics = new Metrics();
  observeRedis(metrics, { verdicts: { isUsable: true }, rates: { isUsable: false } });
  expect(await linesOf(metrics)).toEqual([
    'orch_redis_connected{use="verdicts"} 1',
    'orch_redis_connected{use="rates"} 0',
  ]);
  const without = new Metrics();
  observeRedis(without, { verdicts: undefined, rates: undefined });
  expect(await linesOf(without)).toEqual([]);
});

it('tells of the clock in seconds', async () => {
  const metrics = new Metrics();
  clockOffset(metrics)(-1500);
  expect(await linesOf(metrics)).toEqual(['orch_clock_offset_seconds -1.5']);
});

it('counts logged errors by their phrases', async () => {
  const [metrics, errors] = [new Metrics(), new ErrorCounts()];
  errors.observe(metrics);
  for (const message of ['quotas', 'admission', 'quotas']) errors.count(message);
  expect(await linesOf(metrics)).toEqual([
    'orch_logged_errors_total{message="quotas"} 2',
    'orch_logged_errors_total{message="admission"} 1',
  ]);
});

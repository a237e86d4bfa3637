import { Metrics } from '@orch/runtime';
import { expect, it } from 'vitest';
import { flowMetrics } from './flow-metrics.js';

it('a level that is no more has no series, and counts from zero when it comes back', async () => {
  const metrics = new Metrics();
  const reported = flowMetrics(metrics);
  const use = (level: string) => {
    reported.observer.limits(level, { nominal: 1, least: 1, most: 1 });
    reported.observer.of(level).waits('schema', 1);
    reported.of(level, 'schema').dispatched('regular')();
  };
  for (const level of ['gone', 'gone-2']) use(level);
  const lines = async (level: string) =>
    (await metrics.text()).body.split('\n').filter((line) => line.includes(`priority_level="${level}"`));
  const before = await lines('gone-2');
  expect(before.length).toBeGreaterThan(10);
  reported.observer.forget('gone');
  expect([await lines('gone'), await lines('gone-2')]).toEqual([[], before]);
  use('gone');
  expect(await lines('gone')).toContain(
    'apiserver_flowcontrol_dispatched_requests_total{priority_level="gone",flow_schema="schema"} 1',
  );
});

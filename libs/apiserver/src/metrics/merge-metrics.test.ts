import { Metrics } from '@orch/runtime';
import { describe, expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.js';

async function page(count: number): Promise<string> {
  const metrics = new Metrics();
  metrics
    .counter({ name: 'requests_total', help: 'x', labels: ['path'] as const })
    .with('a}b "c" {')
    .inc(count);
  metrics
    .gauge({ name: 'open', help: 'y', labels: [] as const })
    .with()
    .set(count);
  metrics
    .histogram({ name: 'seconds', help: 'z', labels: [] as const, buckets: [1] })
    .with()
    .observe(0.5);
  return (await metrics.text()).body;
}

describe('mergeMetrics', () => {
  it('tells the series of workers apart and describes each family once', async () => {
    const merged = mergeMetrics([
      { worker: 1, body: await page(3) },
      { worker: 2, body: await page(4) },
    ]);
    expect(merged.match(/^# TYPE .*/gm)).toEqual([
      '# TYPE requests_total counter',
      '# TYPE open gauge',
      '# TYPE seconds histogram',
    ]);
    expect(merged).toContain('requests_total{worker="1",path="a}b \\"c\\" {"} 3\nrequests_total{worker="2",path=');
    expect(merged).toContain('open{worker="1"} 3\nopen{worker="2"} 4\n');
    expect(merged).toContain('seconds_bucket{worker="1",le="1"} 1');
    expect(merged).toContain('seconds_count{worker="2"} 1');
  });

  it('of no worker is empty', () => expect(mergeMetrics([])).toBe(''));
});

import { expect, test } from 'vitest';
import { Metrics, REQUEST_DURATION_BUCKETS } from './metrics.js';

const linesOf = async (metrics: Metrics) => (await metrics.text()).body.trim().split('\n');

test('counters and gauges', async () => {
  const metrics = new Metrics();
  const requests = metrics.counter({ name: 'requests_total', help: 'Requests.', labels: ['verb', 'code'] });
  const get = requests.with('GET', '200');
  get.inc();
  requests.with('GET', '200').inc(2);
  requests.with('PUT', '409').inc();
  metrics.gauge({ name: 'inflight', help: 'In flight.', labels: [] }).with().set(4);
  metrics.observedGauge({ name: 'lag', help: 'Lag.', labels: ['type'] }, () => [[['pods'], 7]]);
  const expected = [
    '# HELP requests_total Requests.',
    '# TYPE requests_total counter',
    'requests_total{verb="GET",code="200"} 3',
    'requests_total{verb="PUT",code="409"} 1',
    'inflight 4',
    'lag{type="pods"} 7',
  ];
  expect(await linesOf(metrics)).toEqual(expect.arrayContaining(expected));
  expect(await linesOf(metrics), 'a second scrape counts nothing twice').toEqual(expect.arrayContaining(expected));
  expect((await metrics.text()).contentType).toContain('text/plain');
});

test('histograms: inclusive bounds, cumulative buckets, sum and count', async () => {
  const metrics = new Metrics();
  const family = metrics.histogram({ name: 'd_seconds', help: 'D.', labels: ['verb'], buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 3]) family.with('GET').observe(value);
  expect(await linesOf(metrics)).toEqual([
    '# HELP d_seconds D.',
    '# TYPE d_seconds histogram',
    'd_seconds_bucket{verb="GET",le="0.1"} 2',
    'd_seconds_bucket{verb="GET",le="1"} 3',
    'd_seconds_bucket{verb="GET",le="+Inf"} 4',
    'd_seconds_sum{verb="GET"} 3.65',
    'd_seconds_count{verb="GET"} 4',
  ]);
  expect(REQUEST_DURATION_BUCKETS).toHaveLength(23);
});

test('label sets are bounded: what is over the limit shares one series', async () => {
  const metrics = new Metrics();
  const family = metrics.counter({ name: 'c', help: 'C.', labels: ['who'], maxSeries: 2 });
  for (let who = 0; who < 1000; who++) family.with(`user-${who}`).inc();
  family.with('user-1').inc();
  expect((await linesOf(metrics)).slice(2)).toEqual(['c{who="user-0"} 1', 'c{who="user-1"} 2', 'c{who="(other)"} 998']);
});

test('registries do not share, and names are unique in one', async () => {
  const [one, two] = [new Metrics(), new Metrics()];
  one.counter({ name: 'x', help: 'X.', labels: [] });
  two.counter({ name: 'x', help: 'X.', labels: [] });
  expect(() => one.counter({ name: 'x', help: 'X.', labels: [] })).toThrow();
});

test('process metrics', async () => {
  const { body } = await new Metrics().withProcessMetrics().text();
  expect(body).toMatch(/^process_cpu_seconds_total /m);
  expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
});

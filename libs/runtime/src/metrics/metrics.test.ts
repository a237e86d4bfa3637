import { expect, test } from 'vitest';
import { checkShownVersion } from './deprecation.js';
import { Metrics, REQUEST_DURATION_BUCKETS } from './metrics.js';

const linesOf = async (metrics: Metrics) => (await metrics.text()).body.trim().split('\n');

test('counters and gauges', async () => {
  const metrics = new Metrics();
  const requests = metrics.counter({ name: 'requests_total', help: 'Requests.', labels: ['verb', 'code'] });
  const get = requests.with('GET', '200');
  get.inc();
  requests.with('GET', '200').inc(2);
  requests.with('PUT', '409').inc();
  metrics.gauge({ name: 'inflight', help: 'In flight.', labels: [], stability: 'STABLE' }).with().set(4);
  metrics.observedGauge({ name: 'lag', help: 'Lag.', labels: ['type'] }, () => [[['pods'], 7]]);
  metrics.observedCounter({ name: 'heals_total', help: 'Heals.', labels: ['type'] }, () => [[['pods'], 2]]);
  const expected = [
    '# HELP requests_total [ALPHA] Requests.',
    '# HELP inflight [STABLE] In flight.',
    '# TYPE heals_total counter',
    'heals_total{type="pods"} 2',
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
  for (const value of [0.05, 0.1, 3]) family.with('GET').observe(value);
  family.with('GET').observe(0.5, 2);
  expect(await linesOf(metrics)).toEqual([
    '# HELP d_seconds [ALPHA] D.',
    '# TYPE d_seconds histogram',
    'd_seconds_bucket{verb="GET",le="0.1"} 2',
    'd_seconds_bucket{verb="GET",le="1"} 4',
    'd_seconds_bucket{verb="GET",le="+Inf"} 5',
    'd_seconds_sum{verb="GET"} 4.15',
    'd_seconds_count{verb="GET"} 5',
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

test('series of what is gone are forgotten, by the labels that they have', async () => {
  const metrics = new Metrics();
  const count = metrics.counter({ name: 'c', help: 'C.', labels: ['group', 'resource', 'code'], maxSeries: 3 });
  const times = metrics.histogram({ name: 'h', help: 'H.', labels: ['resource', 'group'], buckets: [1] });
  const open = metrics.gauge({ name: 'g', help: 'G.', labels: ['resource'] });
  for (const resource of ['a', 'b']) {
    for (const code of resource === 'a' ? ['200', '404'] : ['200']) count.with('x', resource, code).inc();
    times.with(resource, 'x').observe(1);
    open.with(resource).set(1);
  }
  metrics.forget({ group: 'x', resource: 'a' });
  const left = (await linesOf(metrics)).filter((line) => !line.startsWith('#'));
  expect(left.filter((line) => line.includes('"a"'))).toEqual(['g{resource="a"} 1']);
  expect(left.filter((line) => line.includes('"b"'))).toHaveLength(6);
  count.with('x', 'c', '200').inc();
  count.with('x', 'a', '200').inc(4);
  expect(await linesOf(metrics), 'there is room again, from zero').toEqual(
    expect.arrayContaining(['c{group="x",resource="c",code="200"} 1', 'c{group="x",resource="a",code="200"} 4']),
  );
});

test('many are forgotten together, each by all of its labels', async () => {
  const metrics = new Metrics();
  const count = metrics.counter({ name: 'c', help: 'C.', labels: ['group', 'resource'] });
  for (const [group, resource] of [
    ['x', 'a'],
    ['x', 'b'],
    ['y', 'a'],
    ['y', 'b'],
    ['z', 'c'],
  ] as const)
    count.with(group, resource).inc();
  const steps = metrics.forgetting([{ group: 'x', resource: 'a' }, { resource: 'b', group: 'y' }, { group: 'z' }]);
  expect([...steps], 'one for those of the same labels').toHaveLength(2);
  expect((await linesOf(metrics)).slice(2)).toEqual(['c{group="x",resource="b"} 1', 'c{group="y",resource="a"} 1']);
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

test('labels and values are written as the format wants them', async () => {
  const metrics = new Metrics();
  const gauge = metrics.gauge({ name: 'g', help: 'Two\nlines.', labels: ['what'] });
  gauge.with('a"b\\c\nd').set(Number.POSITIVE_INFINITY);
  metrics.counter({ name: 'untouched_total', help: 'None yet.', labels: [] });
  expect(await linesOf(metrics)).toEqual([
    '# HELP g [ALPHA] Two\\nlines.',
    '# TYPE g gauge',
    'g{what="a\\"b\\\\c\\nd"} +Inf',
    '# HELP untouched_total [ALPHA] None yet.',
    '# TYPE untouched_total counter',
    'untouched_total 0',
  ]);
});

test('many series are printed in several turns of the event loop', async () => {
  const metrics = new Metrics();
  const family = metrics.histogram({ name: 'd', help: 'D.', labels: ['n'], buckets: REQUEST_DURATION_BUCKETS });
  for (let at = 0; at < 2_000; at++) family.with(String(at)).observe(at);
  let turns = 0;
  const count = () => {
    turns++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const lines = await linesOf(metrics);
  clearImmediate(counting);
  expect(lines).toHaveLength(2 + 2_000 * (REQUEST_DURATION_BUCKETS.length + 3));
  expect(turns).toBeGreaterThan(3);
});

test('what is deprecated says so, then hides, and is shown once more where it is asked for', async () => {
  const textOf = async (release: string, showHidden = false) => {
    const metrics = new Metrics({ release, showHidden });
    const definition = { name: 'old', help: 'Old.', labels: [], deprecated: '1.27.0' } as const;
    const family = metrics.histogram({ ...definition, buckets: [1] });
    metrics.histogramAlias({ ...definition, name: 'older', deprecated: '1.26.3' }, family);
    metrics.counter({ name: 'late', help: 'Late.', labels: [], deprecated: '1.28.0', stability: 'BETA' });
    family.with().observe(0.5);
    expect(() => metrics.gauge({ name: 'older', help: 'Taken.', labels: [] })).toThrow('a metric named older already');
    return (await linesOf(metrics)).filter((line) => line.startsWith('# HELP') || line.includes('_count'));
  };
  const [old, older, late] = [
    ['# HELP old [ALPHA] (Deprecated since 1.27.0) Old.', 'old_count 1'],
    ['# HELP older [ALPHA] (Deprecated since 1.26.3) Old.', 'older_count 1'],
    ['# HELP late [BETA] Late.'],
  ] as const;
  expect(await textOf('1.27.16')).toEqual([...old, ...late]);
  expect(await textOf('1.27.16', true)).toEqual([...old, ...older, ...late]);
  expect(await textOf('1.28.0')).toEqual(['# HELP late [BETA] (Deprecated since 1.28.0) Late.']);
});

test('only the previous minor version can be asked for', () => {
  for (const right of ['1.26', '']) expect(() => checkShownVersion(right, '1.27.16')).not.toThrow();
  for (const wrong of ['1.27', '1.25', '1.26.0', 'v1.26', '26'])
    expect(() => checkShownVersion(wrong, '1.27.16')).toThrow(
      "must be omitted or have the value '1.26'. Only the previous minor version is allowed",
    );
});

test('describes every metric by name, hidden ones too, and those of the runtime', () => {
  const metrics = new Metrics({ release: '1.27.16' }).withProcessMetrics();
  const going = { help: 'Going.', labels: ['verb'], stability: 'BETA' } as const;
  metrics.counter({ ...going, name: 'a_later_total', deprecated: '1.28.0' });
  metrics.gauge({ ...going, name: 'a_now', deprecated: '1.27.0' });
  metrics.histogram({ ...going, name: 'a_gone_seconds', deprecated: '1.26.0', buckets: [1] });
  const all = metrics.describe();
  expect(all.filter(({ name }) => name.startsWith('a_'))).toEqual([
    { ...going, name: 'a_gone_seconds', type: 'histogram', deprecated: '1.26.0', hidden: true },
    { ...going, name: 'a_later_total', type: 'counter', deprecated: undefined, hidden: false },
    { ...going, name: 'a_now', type: 'gauge', deprecated: '1.27.0', hidden: false },
  ]);
  expect(all).toContainEqual(
    expect.objectContaining({ name: 'nodejs_gc_duration_seconds', type: 'histogram', labels: ['kind'] }),
  );
  expect(all).toContainEqual(expect.objectContaining({ name: 'process_cpu_seconds_total', type: 'counter' }));
});

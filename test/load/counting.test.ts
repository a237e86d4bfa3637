import { expect, test } from 'vitest';
import { EventCounter, recordAges } from './event-counter.js';
import { Histogram } from './histogram.js';
import { merged, share } from './receivers.js';
import { objectBody } from './resource.js';
import { slopePerDecade } from './slope.js';
import type { WorkerReading } from './watchers.worker.js';

test('a histogram answers nearest ranks to a hundredth, also when it is put together of several', () => {
  const even = new Histogram();
  const odd = new Histogram();
  for (let value = 1; value <= 1000; value++) (value % 2 === 0 ? even : odd).record(value);
  const both = new Histogram().add(even.counts()).add(odd.counts());
  for (const [rank, value] of [
    [0.5, 500],
    [0.99, 990],
    [1, 1000],
  ] as const) {
    expect(both.percentile(rank) / value).toBeCloseTo(1, 1.7);
    expect(both.percentile(rank)).toBeGreaterThanOrEqual(value);
  }
  expect(new Histogram().percentile(0.5)).toBeNaN();
});

test('durations of nothing and of hours have buckets', () => {
  const ages = new Histogram();
  ages.record(-1);
  ages.record(1e9);
  expect(ages.percentile(0.5)).toBeLessThan(0.02);
  expect(ages.percentile(1)).toBeGreaterThan(3_600_000);
});

test('events are counted whether they come in chunks or as they are', () => {
  const chunked = new EventCounter(true);
  chunked.countEvents(Buffer.from('a\r\n{"a":"1"}\n\r\n'));
  chunked.countEvents(Buffer.from('14\r\n{"a":"1"}\n{"b":"2"}\n\r\n'));
  const plain = new EventCounter(false);
  plain.countEvents(Buffer.from('{"a":"1"}\n{"b'));
  plain.countEvents(Buffer.from('":"2"}\n{"c":"3"}\n'));
  expect([chunked.events, plain.events]).toEqual([3, 3]);
});

test('ages are read from every event of a read', () => {
  const ages = new Histogram();
  recordAges(Buffer.from('{"sent":"100.000"}\n{"sent":"190.000"}\n{"sent":"1'), 200, ages);
  expect(ages.counts().reduce((sum, [, count]) => sum + count, 0)).toBe(2);
  expect(ages.percentile(1) / 100).toBeCloseTo(1, 1.7);
});

test('readings of several processes become one', () => {
  const reading = (events: number, fewest: number): WorkerReading => ({
    bytes: events * 10,
    events,
    fewest,
    ended: 1,
    last: events,
    ages: [[100, 1]],
    cpuMicroseconds: 5,
  });
  const { latency, ...rest } = merged([reading(30, 3), reading(20, 2), reading(0, Number.POSITIVE_INFINITY)]);
  expect(rest).toEqual({ bytes: 500, events: 50, fewest: 2, ended: 3, last: 30, cpuMicroseconds: 15 });
  expect(latency.p50).toBeGreaterThan(0);
});

test('shares add up and differ by one at most', () => {
  expect([0, 1, 2].map((index) => share(8, 3, index))).toEqual([3, 3, 2]);
});

test('a slope says the change for each tenfold as a share of the first value', () => {
  const points = [
    { x: 10, y: 100 },
    { x: 100, y: 110 },
    { x: 1000, y: 120 },
  ];
  expect(slopePerDecade(points)).toBeCloseTo(0.1);
  expect(
    slopePerDecade([
      { x: 0, y: 5 },
      { x: 1000, y: 5 },
    ]),
  ).toBeCloseTo(0);
  expect(slopePerDecade([{ x: 10, y: 5 }])).toBeNaN();
});

test('objects of every kind are JSON, of the size asked for, and say when they were sent', () => {
  for (const kind of ['ConfigMap', 'Pod', 'Event']) {
    const resource = { apiVersion: 'v1', kind, path: '/api/v1/namespaces/bench/things' };
    const body = objectBody(resource, 'o-1', { sent: 1.5, version: '7', filling: 50_000 });
    expect(JSON.parse(body)).toMatchObject({ kind, metadata: { name: 'o-1', resourceVersion: '7' } });
    expect(body).toContain('"sent":"1.500"');
    expect(body.length).toBeGreaterThan(50_000);
    expect(objectBody(resource, 'o-1', { sent: 1.5 }).length).toBeLessThan(1300);
  }
});

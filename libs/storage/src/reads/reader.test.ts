import { expect, it } from 'vitest';
import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';
import { completeOptions } from '../face/options.js';
import { Lineage } from '../maintenance/lineage.js';
import { BatchingReader, FEW } from './reader.js';
import type { TextRow } from './text-row.js';

/** A pool of one connection on which every statement has the same answer. */
function poolOf(answer: () => Promise<TextRow[]>) {
  const asked: string[] = [];
  const statement = (name: string) => {
    asked.push(name);
    return answer();
  };
  const use = <T>(work: (connection: DatabaseConnection) => Promise<T>) =>
    work({ statement } as unknown as DatabaseConnection);
  return { asked, pool: { use } as unknown as Pool };
}

it('measures many objects apart from the connections of other reads', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const reads = poolOf(async () => [[String(FEW), '1']]);
  const measuring = poolOf(() => ended.then(() => [['3000', '7']]));
  const options = completeOptions({ url: 'postgres://nowhere', naming: 'orch' });
  const reader = new BatchingReader(reads.pool, measuring.pool, new Lineage(1n), options);
  const measure = reader.measure(1, 10_000);
  await expect.poll(() => measuring.asked).toEqual(['measure']);
  await reader.ping();
  expect(reads.asked).toEqual(['measure_few', 'clock']);
  end();
  expect(await measure).toEqual({ objects: 3_000, bytes: 7 });
  expect(await reader.measure(1, FEW)).toEqual({ objects: FEW, bytes: 1 });
});

it('compares clocks on the way, and tells only what the way leaves certain', async () => {
  const told: number[] = [];
  const observer = { clockRead: (offset: number) => void told.push(offset) };
  const options = completeOptions({ url: 'postgres://nowhere', naming: 'orch', observer });
  let theirs = 0;
  const reads = poolOf(async () => {
    const asked = Date.now();
    // The way back takes its time, which says nothing of clocks.
    while (Date.now() < asked + 5);
    return [[String((asked + theirs) / 1000)]];
  });
  const reader = new BatchingReader(reads.pool, reads.pool, new Lineage(1n), options);
  for (theirs of [0, -60_000, 60_000]) await reader.ping();
  expect(told[0]).toBeCloseTo(0, 1);
  expect(told[1]).toBeGreaterThan(59_000);
  expect(told[1]).toBeLessThanOrEqual(60_000);
  expect(told[2]).toBeLessThan(-59_000);
  expect(told[2]).toBeGreaterThanOrEqual(-60_000);
});

import { expect, it } from 'vitest';
import type { Connection, TextRow } from './connection.js';
import { Lineage } from './lineage.js';
import { completeOptions } from './options.js';
import type { Pool } from './pool.js';
import { FEW, Reader } from './reader.js';

/** A pool of one connection on which every statement has the same answer. */
function poolOf(answer: () => Promise<TextRow[]>) {
  const asked: string[] = [];
  const statement = (name: string) => {
    asked.push(name);
    return answer();
  };
  const use = <T>(work: (connection: Connection) => Promise<T>) => work({ statement } as unknown as Connection);
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
  const reader = new Reader(reads.pool, measuring.pool, new Lineage(1n), options);
  const measure = reader.measure(1, 10_000);
  await expect.poll(() => measuring.asked).toEqual(['measure']);
  await reader.ping();
  expect(reads.asked).toEqual(['measure_few', 'ping']);
  end();
  expect(await measure).toEqual({ objects: 3_000, bytes: 7 });
  expect(await reader.measure(1, FEW)).toEqual({ objects: FEW, bytes: 1 });
});

import { expect } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import type { PanelQuery } from './dashboards.js';
import type { Prometheus } from './prometheus.js';

/** In which what is scraped has come to every query. */
export const DATA_MS = 60_000;

/** Waits until every query has a value that is a number; names those that have none. */
export async function expectData(prometheus: Prometheus, queries: readonly PanelQuery[]): Promise<void> {
  let missing = [...queries];
  const check = async () => {
    missing = await withoutData(prometheus, missing);
    return missing.length === 0;
  };
  await waitUntil('queries return data', DATA_MS, check).catch(() => undefined);
  expect(missing).toEqual([]);
}

/** Returns the queries without a numeric value now. */
export async function withoutData(prometheus: Prometheus, queries: readonly PanelQuery[]): Promise<PanelQuery[]> {
  const answers = await Promise.all(queries.map(({ query }) => prometheus.query(query)));
  return queries.filter((_query, at) => !answers[at]?.some(({ value }) => !Number.isNaN(value)));
}

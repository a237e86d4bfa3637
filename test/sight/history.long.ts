import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../faults/stage/sql.js';
import { Api } from '../support/api.js';
import { openStage, type Stage } from './stage.js';

const HOUR_MS = 3_600_000;
const WRITE_MS = 2000;

let stage: Stage;
let api: Api;
const over = new AbortController();
let writing: Promise<void>;

/** History has partitions to drop only where there are changes. */
async function write(): Promise<void> {
  while (!over.signal.aborted) {
    await api.post('/api/v1/namespaces/default/events', event()).catch(() => undefined);
    await pause(WRITE_MS);
  }
}

const event = () => ({
  metadata: { generateName: 'upkeep-' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
  reason: 'Upkeep',
});

beforeAll(async () => {
  const longest = { fires: 2.5 * 3600, ends: 12 * 60 };
  const serverArgs = ['--history-retention=1s'];
  stage = await openStage({ ...{ apiServers: 1, gateways: 1 }, serverArgs }, { longest });
  api = new Api({ ...stage.cluster, url: stage.cluster.apiServerUrls[0] ?? '' });
  writing = write();
});

afterAll(async () => {
  over.abort();
  await writing;
  api?.close();
  await stage?.close();
});

test('a view depends on a partition of history until history is overdue', { timeout: 3 * HOUR_MS }, async () => {
  const { postgresUrl } = stage.cluster;
  await stage.silent();
  await stage.breaks(['OrchHistoryOverdue', 'OrchHistoryPartitionRefused'], async () => {
    await api.post('/api/v1/namespaces/default/events', event());
    const newest = 'SELECT tableoid::regclass::text AS name FROM change ORDER BY version DESC LIMIT 1';
    const [row] = await sql<{ name: string }>(postgresUrl, newest);
    await sql(postgresUrl, `CREATE VIEW report AS SELECT version FROM ${row?.name}`);
  });
  await stage.firing();
  await stage.mends(() => sql(postgresUrl, 'DROP VIEW report'));
  await stage.silent();
  const times = await stage.times();
  expect(times.get('OrchHistoryOverdue')).toEqual({ fires: expect.any(Number), ends: expect.any(Number) });
});

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { OpenSsl } from '../deploy/openssl.js';
import { sql } from '../faults/stage/sql.js';
import { Api } from '../support/api.js';
import { ALERT_MS, openStage, type Stage } from './stage.js';

const PATH = '/api/v1/namespaces/default/configmaps';

let stage: Stage;
let api: Api;
let dir: string;

/** Has servers believe two authorities: one for long, and behind it one for so many days. */
function believe(days: number): void {
  const openssl = new OpenSsl(dir);
  const bundle = [300, days].map((lasting) => openssl.authority(`lasting-${lasting}`, lasting).cert).join('');
  writeFileSync(join(dir, 'made.crt'), bundle);
  renameSync(join(dir, 'made.crt'), join(dir, 'callers.crt'));
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-authorities-'));
  believe(300);
  const serverArgs = ['--history-retention=1s', `--client-ca-file=${join(dir, 'callers.crt')}`];
  stage = await openStage({ apiServers: 1, gateways: 1, serverArgs });
  api = new Api({ ...stage.cluster, url: stage.cluster.apiServerUrls[0] ?? '' });
});
afterAll(async () => {
  api?.close();
  await stage?.close();
  rmSync(dir, { recursive: true });
});

const write = async () => expect((await api.post(PATH, { metadata: { generateName: 'upkeep-' } })).status).toBe(201);

/** The partition of history that the last change lies in. */
async function newest(): Promise<string> {
  const [row] = await sql<{ name: string }>(
    stage.cluster.postgresUrl,
    'SELECT tableoid::regclass::text AS name FROM change ORDER BY version DESC LIMIT 1',
  );
  return row?.name ?? '';
}

test('a partition of history that cannot be dropped is told of until it can', { timeout: 3 * ALERT_MS }, async () => {
  const { postgresUrl } = stage.cluster;
  await write();
  await sql(postgresUrl, `CREATE VIEW report AS SELECT version FROM ${await newest()}`);
  // A partition is dropped once a later one is as old as history is kept: it takes further changes.
  await waitUntil('the alert fires', ALERT_MS, async () => {
    await write();
    return (await stage.prometheus.firing()).includes('OrchHistoryPartitionRefused');
  });
  await sql(postgresUrl, 'DROP VIEW report');
  await waitUntil('no alert fires', ALERT_MS, async () => {
    await write();
    return (await stage.prometheus.firing()).length === 0;
  });
});

test('an authority that is near its end is told of until it is replaced', { timeout: 3 * ALERT_MS }, async () => {
  believe(10);
  await stage.firing('OrchCertificateExpires');
  believe(300);
  await stage.silent();
});

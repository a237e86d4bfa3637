import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { OpenSsl } from '../deploy/openssl.js';
import { sql } from '../faults/stage/sql.js';
import { Api } from '../support/api.js';
import { Askers, registerWebhooks } from './askers.js';
import { shippedQueries } from './dashboards.js';
import { expectData } from './expect-data.js';
import { Outside } from './outside.js';
import { ALERT_MS, isShipped, WINDOW } from './pace.js';
import { SlowReaders } from './slow-readers.js';
import { openStage, type Stage } from './stage.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const DAY_MS = 86_400_000;

let dir: string;
let outside: Outside;
let stage: Stage;
let api: Api;
let askers: Askers;
let nats: NatsConnection;
/** Clean-ups that run when a test has seen its alerts. */
const undo: (() => unknown)[] = [];

/** Has servers believe two authorities: one for long, and behind it one for so many days. */
function believe(days: number): void {
  const openssl = new OpenSsl(dir);
  const bundle = [300, days].map((lasting) => openssl.authority(`lasting-${lasting}`, lasting).cert).join('');
  writeFileSync(join(dir, 'made.crt'), bundle);
  renameSync(join(dir, 'made.crt'), join(dir, 'callers.crt'));
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-faults-'));
  outside = await Outside.open(join(dir, 'outside'));
  believe(300);
  stage = await openStage({
    ...{ apiServers: 1, gateways: 1 },
    serverArgs: [
      '--history-retention=1s',
      '--request-timeout=4s',
      '--watch-cache-check-interval=2s',
      `--client-ca-file=${join(dir, 'callers.crt')}`,
      ...outside.serverArgs,
    ],
    apiServerArgs: outside.apiServerArgs,
    gatewayArgs: outside.gatewayArgs,
  });
  api = new Api({ ...stage.cluster, url: stage.cluster.apiServerUrls[0] ?? '' });
  nats = await connect({ servers: stage.cluster.natsUrl });
  await registerWebhooks(api, outside);
  askers = new Askers(api);
});
afterAll(async () => {
  await askers?.stop();
  api?.close();
  await nats?.close();
  await stage?.close();
  await outside?.close();
  rmSync(dir, { recursive: true });
});

afterEach(undone);

/** Goes on until the faults of a test are undone. */
function during(work: () => Promise<unknown>): void {
  const over = new AbortController();
  void askers.again(work, over.signal);
  undo.push(() => over.abort());
}

async function undone(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

/** History has partitions to drop only where there are changes. */
async function write(): Promise<void> {
  await api.post(CONFIG_MAPS, { metadata: { generateName: 'upkeep-' } });
}

/** The partition of history that the last change lies in. */
async function newest(): Promise<string> {
  const [row] = await sql<{ name: string }>(
    stage.cluster.postgresUrl,
    'SELECT tableoid::regclass::text AS name FROM change ORDER BY version DESC LIMIT 1',
  );
  return row?.name ?? '';
}

async function spoilHistory(): Promise<void> {
  const { postgresUrl } = stage.cluster;
  await sql(postgresUrl, `CREATE VIEW report AS SELECT version FROM ${await newest()}`);
  await sql(postgresUrl, 'ALTER FUNCTION trim_heads(bigint) RENAME TO trim_heads_gone');
  await sql(postgresUrl, 'ALTER FUNCTION create_history_partition(bigint, bigint) RENAME TO create_gone');
  undo.push(
    () => sql(postgresUrl, 'DROP VIEW report'),
    () => sql(postgresUrl, 'ALTER FUNCTION trim_heads_gone(bigint) RENAME TO trim_heads'),
    () => sql(postgresUrl, 'ALTER FUNCTION create_gone(bigint, bigint) RENAME TO create_history_partition'),
  );
}

async function spoilOutside(): Promise<void> {
  outside.isGone = true;
  outside.kms.failing.set('Status', 14);
  await outside.redis.kill('SIGKILL');
  undo.push(
    () => {
      outside.isGone = false;
      outside.kms.failing.clear();
    },
    () => outside.redis.start(),
  );
}

/** The gateway loses the key that the api-server goes on with, and the api-server gets a file that is none. */
function spoilKeys(): void {
  outside.useKeys('gateway', 'key2');
  outside.spoilKeys('api-server');
  undo.push(
    () => outside.useKeys('gateway', 'key2', 'key1'),
    () => outside.useKeys('api-server', 'key1'),
  );
}

async function registerNobody(): Promise<void> {
  const path = '/apis/apiregistration.k8s.io/v1/apiservices';
  await api.post(path, {
    metadata: { name: 'v1.gone.example.com' },
    spec: {
      ...{ group: 'gone.example.com', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10 },
      service: { namespace: 'default', name: 'gone' },
      insecureSkipTLSVerify: true,
    },
  });
  undo.push(() => api.delete(`${path}/v1.gone.example.com`));
}

/** Somebody without the key of the installation repeats what was announced, altered. */
function forge(): void {
  const heard = nats.subscribe('>', {
    callback: (_error, message) => {
      if (message.headers?.get('Forged') || message.data.length === 0 || message.reply) return;
      forged = { subject: message.subject, data: Buffer.concat([message.data, Buffer.of(0)]) };
    },
  });
  let forged: { subject: string; data: Uint8Array } | undefined;
  during(async () => {
    await write();
    if (forged) nats.publish(forged.subject, forged.data);
  });
  undo.push(() => heard.unsubscribe());
}

/** A client whose certificate ends in two days, of an authority that ends in ten. */
function shortCredentials(): void {
  believe(10);
  const openssl = new OpenSsl(dir);
  const authority = { certFile: join(dir, 'lasting-10.crt'), keyFile: join(dir, 'lasting-10.key') };
  const { cert, key } = openssl.leaf('short', authority, {
    ...{ subject: '/CN=short', usage: 'clientAuth' },
    endsAt: Math.floor((Date.now() + 2 * DAY_MS) / 1000) * 1000,
  });
  const settings = { url: stage.cluster.apiServerUrls[0] ?? '', ca: stage.cluster.ca, certificate: { cert, key } };
  during(async () => {
    // On a connection of its own: the authority may not have been read when the one before was opened.
    const client = new Api(settings);
    await client.get('/api').finally(() => client.close());
  });
  undo.push(() => believe(300));
}

/** Watchers that read nothing until history has passed them. */
async function stopReading(): Promise<void> {
  const readers = await SlowReaders.open(api, stage.cluster, stage.cluster.gatewayUrls[0]);
  during(() => readers.write());
  undo.push(() => readers.close());
}

/** Removes an object that the gateway has in memory from the database, and tells nobody. */
async function removeBehindBacks(): Promise<void> {
  await api.post(SECRETS, { metadata: { name: 'removed' } });
  const gateway = new Api({ ...stage.cluster, url: stage.cluster.gatewayUrls[0] ?? '' });
  const watch = await gateway.watch(`${SECRETS}?watch=1`);
  await watch.take(1);
  await sql(stage.cluster.postgresUrl, `DELETE FROM object WHERE name = 'removed'`);
  undo.push(() => gateway.close());
}

/** The gateway cannot record requests any more. */
function breakAudit(): void {
  const gateway = new Api({ ...stage.cluster, url: stage.cluster.gatewayUrls[0] ?? '' });
  outside.breakAudit();
  during(() => gateway.get('/api'));
  undo.push(
    () => gateway.close(),
    () => outside.readAudit(),
  );
}

/** A session holds what servers read and write, and the leases that say who does what. */
async function holdDatabase(): Promise<void> {
  const holder = new pg.Client({ connectionString: stage.cluster.postgresUrl, options: '-c search_path=cluster' });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE object, maintenance_lease IN ACCESS EXCLUSIVE MODE');
  undo.push(() => holder.end());
}

/** Sends heads that are too large. */
const sendLargeHeads = () => during(() => api.get('/api', { 'x-large': 'x'.repeat(70_000) }));

/** Faults outside of servers, and misbehaviour of clients, with the alerts that they fire. */
const OUTSIDE: readonly (readonly [make: () => unknown, ...alerts: string[]])[] = [
  [
    spoilHistory,
    ...['OrchHistoryPartitionRefused', 'OrchHistoryOverdue', 'OrchHistoryEnds'],
    ...['OrchCompactionFails', 'OrchErrorsRepeat'],
  ],
  [spoilKeys, 'OrchEncryptionReloadFailed', 'OrchTransformationsFail', 'OrchObjectsUnreadable'],
  [
    spoilOutside,
    ...['OrchReviewWebhookFails', 'OrchAuditEventsLost', 'OrchKeyServiceFails', 'OrchRedisDown'],
    ...['OrchAdmissionWebhookFails', 'OrchAdmissionWebhookFailsOpen', 'OrchAdmissionWebhookHangs'],
    ...['OrchConversionWebhookFails', 'OrchRequestsTerminated'],
  ],
  [shortCredentials, 'OrchCertificateExpires', 'OrchClientCertificateExpires'],
  [registerNobody, 'OrchAPIServiceUnavailable'],
  [forge, 'OrchFeedRefused'],
  [stopReading, 'OrchWatchersExpired'],
  [sendLargeHeads, 'OrchLimitsReached'],
  [removeBehindBacks, 'OrchStateMismatch'],
  [breakAudit, 'OrchAuditRequestsRefused'],
];
/** Metrics of the database that are held constant. */
const HELD = [
  'OrchCompactionStuck',
  'OrchLeaseNotHeld',
  'OrchCertificateSigningFails',
  'OrchLatencyBudgetBurn, critical',
  'OrchLatencyBudgetBurn, warning',
  'OrchStoreConnectionsExhausted',
];

test('alerts fire in their faults and end with them', { timeout: 4 * ALERT_MS }, async () => {
  await stage.silent();
  for (const [make, ...alerts] of OUTSIDE) await stage.breaks(alerts, make);
  await stage.firing();
  // What panels show of what is outside, and of faults, is there now.
  const queries = shippedQueries({ instance: '.*', __rate_interval: WINDOW });
  await expectData(
    stage.prometheus,
    queries.filter(({ isSparse, query }) => isSparse && !query.includes('orch_embedded_postgres')),
  );
  await stage.mends(undone);
  // What fires already would tell nothing of the next fault.
  await stage.silent();
  await stage.breaks(HELD, holdDatabase);
  await stage.firing();
  await stage.mends(undone);
  await stage.silent();
  const unseen = [...(await stage.times())].filter(([, { fires }]) => fires === null);
  if (!isShipped) expect(unseen).toEqual([]);
});

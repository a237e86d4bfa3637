import { execFile } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { FakeKms } from '@orch/encryption/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, ORCHCTL } from '../../tools/up/index.js';
import { sql } from '../faults/stage/sql.js';
import { Api, type ApiList, type StatusObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const POLL = { timeout: 60_000, interval: 100 };
const TEST_MS = 120_000;
const UNDEFINED_TABLE = '42P01';

/** Stands in values, in names of data, in labels and annotations; and so does what it is in base64, wherever it begins. */
const SENTINEL = 'hush-4f1c';
const TRACES = [SENTINEL, Buffer.from(`xx${SENTINEL}`).toString('base64').slice(4, 14), base64(SENTINEL).slice(0, 12)];

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { [`l-${SENTINEL}`]: 'x', own: name }, annotations: { a: SENTINEL } },
  data: { [`key-${SENTINEL}`]: base64(SENTINEL) },
});
const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { a: SENTINEL },
});
const widget = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, labels: { own: name } },
  hidden: SENTINEL,
});

const keyOf = (name: string) => ({ name, secret: Buffer.alloc(32, name).toString('base64') });
const aesgcm = (...names: readonly string[]) => ({ aesgcm: { keys: names.map(keyOf) } });
const IDENTITY = { identity: {} };

/** Resources of an EncryptionConfiguration; JSON is YAML. */
const configuration = (resources: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources });

describe('encryption at rest, with an api-server and a gateway', { timeout: TEST_MS }, () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  let gateway: Api;
  let kms: FakeKms;
  let nats: NatsConnection;
  const heard: Buffer[] = [];

  const fileOf = (server: 'api-server' | 'gateway') => join(dir, `${server}.yaml`);

  /**
   * Writes the configuration of one server: how it encrypts secrets; config maps use a key management service, widgets
   * secretbox.
   */
  function write(server: 'api-server' | 'gateway', ofSecrets: readonly object[]): void {
    const text = configuration([
      { resources: ['secrets'], providers: ofSecrets },
      {
        resources: ['configmaps'],
        providers: [{ kms: { apiVersion: 'v2', name: 'vault', endpoint: kms.endpoint } }, IDENTITY],
      },
      { resources: ['widgets.example.com'], providers: [{ secretbox: { keys: [keyOf('box')] } }] },
      { resources: ['*.apps'], providers: [{ aescbc: { keys: [keyOf('cbc')] } }, IDENTITY] },
    ]);
    writeFileSync(`${fileOf(server)}.next`, text, { mode: 0o600 });
    renameSync(`${fileOf(server)}.next`, fileOf(server));
  }

  async function reloads(server: Api): Promise<number> {
    const { text } = await server.get('/metrics');
    return Number(/^orch_encryption_config_reloads_total\{result="success"\} (\d+)/m.exec(text)?.[1] ?? 0);
  }

  /** Resolves when every server has read what it is told. */
  async function reconfigure(ofSecrets: readonly object[], servers: readonly ('api-server' | 'gateway')[]) {
    const apis = servers.map((server) => (server === 'gateway' ? gateway : api));
    const before = await Promise.all(apis.map(reloads));
    for (const server of servers) write(server, ofSecrets);
    await expect.poll(() => Promise.all(apis.map(reloads)), POLL).toEqual(before.map((count) => count + 1));
  }

  /** Rows of any table in which a trace stands, as text or in bytes. */
  async function found(traces: readonly string[] = TRACES): Promise<string[]> {
    const tables = await sql<{ name: string }>(
      cluster.postgresUrl,
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const patterns = traces.flatMap((text) => [text, Buffer.from(text).toString('hex')]).map((text) => `%${text}%`);
    const hits: string[] = [];
    for (const { name } of tables) {
      const counting = sql<{ count: string }>(
        cluster.postgresUrl,
        `SELECT count(*) FROM ${name} t WHERE t::text LIKE ANY ($1)`,
        [patterns],
      );
      // History that is dropped meanwhile holds nothing any more.
      const [row] = await counting.catch((error: { code?: string }) => {
        if (error.code === UNDEFINED_TABLE) return [];
        throw error;
      });
      if (Number(row?.count) > 0) hits.push(`${name}: ${row?.count}`);
    }
    return hits;
  }

  const told = (): string[] => TRACES.filter((trace) => heard.some((message) => message.includes(trace)));

  /** Runs `orchctl storage rewrite`; the exit code, and what it has printed. */
  const rewrite = (...args: readonly string[]) =>
    new Promise<{ code: number; printed: string }>((resolve) => {
      const options = [`--encryption-provider-config=${fileOf('api-server')}`, '--naming=kubernetes', ...args];
      const env = { PATH: process.env.PATH, ORCH_POSTGRES_URL: cluster.postgresUrl };
      execFile(process.execPath, [ORCHCTL, 'storage', 'rewrite', ...options], { env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), printed: stdout + stderr }),
      );
    });

  beforeAll(async () => {
    dir = makeServerFolder('orch-encryption-');
    kms = new FakeKms(join(dir, 'kms.sock'));
    await kms.start();
    for (const server of ['api-server', 'gateway'] as const) write(server, [IDENTITY]);
    cluster = await startCluster({
      dir,
      apiServers: 1,
      gateways: 1,
      // By default Secrets travel without their bodies.
      serverArgs: ['--history-retention=5s', '--nats-omit-bodies=pods'],
      apiServerArgs: [`--encryption-provider-config=${fileOf('api-server')}`],
      gatewayArgs: [`--encryption-provider-config=${fileOf('gateway')}`],
    });
    const { ca, token } = cluster;
    api = new Api({ url: cluster.apiServerUrls[0] ?? '', ca, token });
    gateway = new Api({ url: cluster.gatewayUrls[0] ?? '', ca, token });
    nats = await connect({ servers: cluster.natsUrl });
    nats.subscribe('>', { callback: (_error, { data }) => void heard.push(Buffer.from(data)) });
    await nats.flush();
  });

  afterAll(async () => {
    api?.close();
    gateway?.close();
    await nats?.close();
    await cluster?.stop();
    await kms?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('what is not encrypted shows, in the database and on NATS', async () => {
    expect((await api.post(SECRETS, secret('old'))).status).toBe(201);
    expect((await found()).join()).toMatch(/cluster\.change.*cluster\.object/);
    await expect.poll(told, POLL).toEqual([SENTINEL, TRACES[2]]);
  });

  test('once it is, nothing of what is written shows, and the old is read on', async () => {
    await reconfigure([aesgcm('key1'), IDENTITY], ['gateway', 'api-server']);
    heard.length = 0;
    expect((await api.get(`${SECRETS}/old`)).json().metadata.name).toBe('old');
    expect((await rewrite('--check')).code).toBe(3);
    const { code, printed } = await rewrite();
    expect(printed).toMatch(/^secrets: 1 written, 0 as they should be$/m);
    expect(code).toBe(0);
    expect((await rewrite('--check')).code).toBe(0);
    // What was written before stays in history for its time.
    await expect.poll(() => found(), POLL).toEqual([]);
    expect((await api.get(`${SECRETS}/old`)).json().data).toEqual(secret('old').data);
  });

  test('every way of writing, and a watch at the gateway', async () => {
    const stream = await gateway.watch(`${SECRETS}?watch=1&labelSelector=own=a`);
    expect((await api.post(SECRETS, secret('a'))).status).toBe(201);
    const { metadata, ...rest } = secret('a');
    await api.patch(`${SECRETS}/a`, 'merge', { data: { more: base64(SENTINEL) } });
    await api.apply(`${SECRETS}/a`, 'tester', {
      ...rest,
      metadata: { name: 'a' },
      data: { [`applied-${SENTINEL}`]: base64('x') },
    });
    const applied = (await api.get(`${SECRETS}/a`)).json();
    expect(JSON.stringify(applied.metadata.managedFields)).toContain(`f:applied-${SENTINEL}`);
    await api.put(`${SECRETS}/a`, { ...secret('a'), metadata: { ...metadata, finalizers: ['example.com/stays'] } });
    await api.delete(`${SECRETS}/a`);
    await api.patch(`${SECRETS}/a`, 'merge', { metadata: { finalizers: null } });
    const events = await stream.until(({ type }) => type === 'DELETED');
    expect(events.map(({ type }) => type)).toEqual(['ADDED', ...Array(events.length - 2).fill('MODIFIED'), 'DELETED']);
    expect(events[0]?.object.data).toEqual(secret('a').data);
    expect(events.at(-1)?.object.data?.[`key-${SENTINEL}`]).toBe(base64(SENTINEL));
    stream.close();
    expect(told()).toEqual([]);
    expect(await found()).toEqual([]);
  });

  test('config maps with a key management service, custom resources, and what a wildcard means', async () => {
    const versions = [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { hidden: { type: 'string' } } } },
      },
    ];
    const names = { plural: 'widgets', kind: 'Widget' };
    await api.post(DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    });
    await expect.poll(async () => (await api.get(WIDGETS)).status, POLL).toBe(200);
    const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: SENTINEL }] } };
    const deployment = { selector: { matchLabels: { app: 'x' } }, template };
    const written = await Promise.all([
      ...['a', 'b', 'c'].map((name) => api.post(CONFIG_MAPS, configMap(name))),
      ...['a', 'b', 'c'].map((name) => api.post(WIDGETS, widget(name))),
      api.post('/apis/apps/v1/namespaces/default/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: deployment,
      }),
    ]);
    expect(written.map(({ status }) => status)).toEqual(Array(7).fill(201));
    expect(await found()).toEqual([]);
    expect(told()).toEqual([]);
    // Pages of one version, from the database.
    const page = (await api.get(`${WIDGETS}?limit=2`)).json<ApiList>();
    await api.delete(`${WIDGETS}/c`);
    const rest = (await api.get(`${WIDGETS}?limit=2&continue=${page.metadata.continue}`)).json<ApiList>();
    expect([...page.items, ...rest.items].map((item) => [item.metadata.name, item.hidden])).toEqual(
      ['a', 'b', 'c'].map((name) => [name, SENTINEL]),
    );
    const selected = (await gateway.get(`${WIDGETS}?labelSelector=own=b&resourceVersion=0`)).json<ApiList>();
    expect(selected.items.map(({ hidden }) => hidden)).toEqual([SENTINEL]);
    expect((await api.get('/readyz/kms-providers')).status).toBe(200);
    const { text } = await api.get('/metrics');
    expect(text).toMatch(
      /^apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="k8s:enc:kms:v2:vault:",status="OK"\} \d+/m,
    );
    expect(text).toMatch(
      /^apiserver_envelope_encryption_key_id_hash_total\{transformation_type="to_storage",provider_name="vault",key_id_hash="sha256:[0-9a-f]{64}"\} \d+/m,
    );
  });

  test('a rotation: the new key is known, then used, then the old one goes', async () => {
    await reconfigure([aesgcm('key1', 'key2'), IDENTITY], ['gateway', 'api-server']);
    await reconfigure([aesgcm('key2', 'key1'), IDENTITY], ['gateway', 'api-server']);
    // To write the same again is a write, once.
    const before = (await api.get(`${SECRETS}/old`)).json();
    const again = (await api.put(`${SECRETS}/old`, before)).json();
    expect(again.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const once = (await api.put(`${SECRETS}/old`, again)).json();
    expect(once.metadata.resourceVersion).toBe(again.metadata.resourceVersion);
    expect((await rewrite()).printed).toMatch(/^secrets: 0 written, 1 as they should be$/m);
    await reconfigure([aesgcm('key2')], ['gateway', 'api-server']);
    await Promise.all([...cluster.gateways, ...cluster.apiServers].map((process) => process.restart()));
    for (const server of [api, gateway]) {
      expect((await server.get(`${SECRETS}/old`)).json().data).toEqual(secret('old').data);
      expect(
        (await server.get(CONFIG_MAPS)).json<ApiList>().items.filter(({ data }) => data?.a === SENTINEL),
      ).toHaveLength(3);
    }
    // Each process decrypts its own once; more are keys of others.
    const calls = (method: string) => kms.calls.filter((each) => each === method).length;
    expect(calls('Decrypt')).toBeGreaterThan(calls('Encrypt'));
    expect(await found()).toEqual([]);
    expect(told()).toEqual([]);
  });

  test('while the key service is away, who lists what a server has not read yet is told to try again', async () => {
    await kms.stop();
    // It is not ready without it, and answers.
    const starting = Promise.all(cluster.gateways.map((process) => process.restart()));
    const list = () => gateway.get(CONFIG_MAPS).catch(() => undefined);
    await expect.poll(async () => (await list())?.status, POLL).toBe(429);
    const refused = await list();
    expect(refused?.headers['retry-after']).toBe('1');
    expect(refused?.json<StatusObject>().message).toContain('the KMS provider "vault" failed to decrypt its key');
    await kms.start();
    await expect.poll(async () => (await list())?.status, POLL).toBe(200);
    await starting;
  });

  test('a server without the key says so, ends its watches, serves all else, and goes on once it has the key', async () => {
    const why = 'it is encrypted by aesgcm with the key "key3", which is not among the providers of its type';
    const stream = await gateway.watch(`${SECRETS}?watch=1`);
    expect((await stream.next())?.object.metadata.name).toBe('old');
    await reconfigure([aesgcm('key3', 'key2')], ['api-server']);
    const made = await api.post(SECRETS, secret('new'));
    expect(made.status).toBe(201);
    const { resourceVersion: version } = made.json().metadata;
    const [ended] = await stream.until(({ type }) => type === 'ERROR');
    expect(ended?.object).toMatchObject({ kind: 'Status', code: 410 });
    const failed = await gateway.get(`${SECRETS}/new`);
    expect(failed.status).toBe(500);
    expect(failed.json<StatusObject>()).toMatchObject({
      reason: 'InternalError',
      message: `Internal error occurred: unable to read secrets "default/new": ${why}`,
    });
    for (const path of [
      SECRETS,
      `${SECRETS}?resourceVersion=0`,
      `${SECRETS}?limit=1&resourceVersion=0`,
      `${SECRETS}?watch=1`,
      // From the database.
      `${SECRETS}?limit=5&resourceVersion=${version}&resourceVersionMatch=Exact`,
    ]) {
      const refused = await gateway.get(path);
      expect([path, refused.status, refused.json<StatusObject>().message]).toEqual([
        path,
        500,
        `Internal error occurred: unable to read secrets: ${why}`,
      ]);
    }
    expect((await gateway.get(`${SECRETS}/old`)).json().data).toEqual(secret('old').data);
    expect((await gateway.get(CONFIG_MAPS)).status).toBe(200);
    await reconfigure([aesgcm('key3', 'key2')], ['gateway']);
    await expect.poll(async () => (await gateway.get(SECRETS)).status, POLL).toBe(200);
    expect((await gateway.get(`${SECRETS}/new`)).json().data).toEqual(secret('new').data);
    const anew = await gateway.watch(`${SECRETS}?watch=1`);
    expect((await anew.take(2)).map(({ object }) => object.metadata.name)).toEqual(['new', 'old']);
    anew.close();
  });

  test('a file that cannot be used changes nothing', async () => {
    writeFileSync(
      fileOf('api-server'),
      configuration([{ resources: ['resourcequotas'], providers: [aesgcm('key3')] }]),
    );
    const failures = async () =>
      (await api.get('/metrics')).text.includes('orch_encryption_config_reloads_total{result="failure"}');
    await expect.poll(failures, POLL).toBe(true);
    expect((await api.post(SECRETS, secret('later'))).status).toBe(201);
    expect(await found()).toEqual([]);
  });
});

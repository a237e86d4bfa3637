import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { connect as connectNats } from '@nats-io/transport-node';
import { FakeKms } from '@orch/encryption/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../tools/up/index.js';
import { sql } from '../../faults/stage/sql.js';
import { Api, type ApiSettings } from '../../support/api.js';
import { helm } from '../helm.js';
import { type Leaf, type Made, OpenSsl } from '../openssl.js';
import { RotationStage } from './stage.js';
import { RenewedApi, Traffic } from './traffic.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const POLL = { timeout: 60_000, interval: 100 };
/** A key management service is asked for its state once a minute. */
const LONG = { timeout: 120_000, interval: 500 };
const TEST_MS = 180_000;
const SERVING: Leaf = { subject: '/CN=servers', usage: 'serverAuth', hosts: 'DNS:localhost,IP:127.0.0.1' };
const ADMIN: Leaf = { subject: '/O=system:masters/CN=admin', usage: 'clientAuth' };

/** Certificates of several authorities, as a file of them. */
const bundle = (...made: readonly Made[]): string => made.map(({ cert }) => cert).join('');
const serving = ({ cert, key }: Made) => ({ 'tls.crt': cert, 'tls.key': key });

interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}
const keyPair = (): KeyPair =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

let stage: RotationStage;
let openSsl: OpenSsl;
let kms: FakeKms;
/** Authority of servers and callers, and of those who ask for others. */
let ca: Made;
let proxyCa: Made;
/** The operator's own authority of callers, and one that signs requests. */
let operators: Made;
let signing: Made;
let signer: KeyPair;
let writing: RenewedApi;
let watching: RenewedApi;
let traffic: Traffic;

const tokenLine = (token: string) => `${token},admin,admin,"system:masters"\n`;
const keyOf = (name: string) => ({ name, secret: Buffer.alloc(32, name).toString('base64') });
/** ConfigMaps with keys of the file, the first of which encrypts; Secrets with those of a key management service. */
const encryption = (...keys: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources: ['configmaps'], providers: [{ aesgcm: { keys: keys.map(keyOf) } }] },
      { resources: ['secrets'], providers: [{ kms: { apiVersion: 'v2', name: 'vault', endpoint: kms.endpoint } }] },
    ],
  });

const identities = (by: Made) => {
  const leaf = (name: string) => openSsl.leaf(name, by, { subject: `/CN=${name}`, usage: 'clientAuth' });
  const [aggregator, gatewayClient, proxy] = ['aggregator-client', 'gateway-client', 'front-proxy-client'].map(leaf);
  if (!aggregator || !gatewayClient || !proxy) throw new Error('unreachable');
  return {
    proxy,
    ofServers: {
      ...{ 'aggregator.crt': aggregator.cert, 'aggregator.key': aggregator.key },
      ...{ 'gateway-client.crt': gatewayClient.cert, 'gateway-client.key': gatewayClient.key },
    },
    ofBalancer: { 'front-proxy.crt': proxy.cert, 'front-proxy.key': proxy.key },
  };
};

const postgresUrl = (role: string, password: string) =>
  `postgres://${role}:${password}@127.0.0.1:${stage.ports.postgres}/postgres`;
const redisUrl = (password: string) => `redis://orch:${password}@127.0.0.1:${stage.ports.redis}`;
const redis = async (...command: [string, ...string[]]) => {
  const client = new Redis({ port: stage.ports.redis, host: '127.0.0.1' });
  try {
    return String(await client.call(...command));
  } finally {
    client.disconnect();
  }
};

async function statusOf(url: string, settings: Partial<ApiSettings>, path = PATH, headers = {}): Promise<number> {
  const api = new Api({ url, ca: settings.ca ?? ca.cert, ...settings });
  try {
    return (await api.get(path, headers)).status;
  } catch {
    return 0;
  } finally {
    api.close();
  }
}

/** Waits until every server answers whoever comes with these credentials so. */
async function everywhere(expected: number, settings: Partial<ApiSettings>, headers = {}): Promise<void> {
  const all = () => Promise.all(stage.servers.map(({ url }) => statusOf(url, settings, PATH, headers)));
  await expect.poll(all, POLL).toEqual(stage.servers.map(() => expected));
}

async function behindBalancer(expected: number, settings: Partial<ApiSettings>): Promise<void> {
  await expect.poll(() => statusOf(stage.url, settings), POLL).toBe(expected);
}

/** Each api-server hands a watch on to a gateway. */
async function watchesAreHandedOn(settings: Partial<ApiSettings>): Promise<void> {
  for (const { url, role } of stage.servers)
    if (role === 'api-server')
      expect(await statusOf(url, settings, `${PATH}?watch=1&timeoutSeconds=1&resourceVersion=0`)).toBe(200);
}

async function serialOf(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

async function metricsOf(url: string): Promise<string> {
  const api = new Api({ url, ca: ca.cert, token: adminToken });
  const { text } = await api.get('/metrics');
  api.close();
  return text;
}

const metricOf = async (url: string, pattern: RegExp) => Number(pattern.exec(await metricsOf(url))?.[1] ?? 0);

/** How many values what a pattern captures has. */
const distinct = async (url: string, pattern: RegExp) =>
  new Set([...(await metricsOf(url)).matchAll(pattern)].map(([, value]) => value)).size;

/** Every server is connected to NATS, and what any announces is heard at each NATS. */
async function busIsWhole(password: string): Promise<void> {
  const bus = () => Promise.all(stage.servers.map(({ url }) => metricOf(url, /^orch_feed_bus_connected (\d)$/m)));
  await expect.poll(bus, POLL).toEqual(stage.servers.map(() => 1));
  const writers = stage.servers.filter(({ role }) => role === 'api-server');
  for (const { client } of stage.nats.running) {
    const connection = await connectNats({ port: client, user: 'orch', pass: password });
    const heard: string[] = [];
    const callback = (_: unknown, { data }: { data: Uint8Array }) =>
      void heard.push(Buffer.from(data).toString('latin1'));
    connection.subscribe('orch.*.changes.*', { callback });
    await connection.flush();
    for (const { url, port } of writers) {
      const api = new Api({ url, ca: ca.cert, token: adminToken });
      const isHeard = async () => {
        expect((await api.post(SECRETS, { metadata: { generateName: `by-${port}-` } })).status).toBe(201);
        return heard.some((text) => text.includes(`by-${port}-`));
      };
      await expect.poll(isHeard, POLL).toBe(true);
      api.close();
    }
    await connection.close();
  }
}

async function tokenOfRobot(): Promise<string> {
  const answer = await writing.post('/api/v1/namespaces/default/serviceaccounts/robot/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json().status.token;
}

let adminToken = 'token-one';

/** Roles of PostgreSQL with passwords, the schema, and a user of Redis. */
async function prepareBackends(): Promise<void> {
  await redis('ACL', 'SETUSER', 'orch', 'on', '>redis-one', '~*', '+@all');
  await stage.orchctl(['storage', 'roles', '--external-login']);
  for (const role of ['orch_migrator', 'orch_api_server', 'orch_gateway'])
    await sql(stage.postgresUrl, `ALTER ROLE ${role} PASSWORD 'one'`);
  await stage.orchctl(['storage', 'migrate', '--naming=kubernetes'], postgresUrl('orch_migrator', 'one'));
}

function writeSecrets(): void {
  const { ofServers, ofBalancer } = identities(proxyCa);
  const authorities = { 'ca.crt': ca.cert, 'front-proxy-ca.crt': proxyCa.cert };
  stage.write({
    servers: { ...authorities, ...serving(openSsl.leaf('servers', ca, SERVING)), ...ofServers },
    balancer: { 'ca.crt': ca.cert, ...serving(openSsl.leaf('balancer', ca, SERVING)), ...ofBalancer },
    'client-ca': { 'ca.crt': operators.cert },
    signing: serving(signing),
    'sa-keys': { 'sa.key': signer.privateKey, 'sa.pub': signer.publicKey },
    tokens: { 'tokens.csv': tokenLine(adminToken) },
    'orch-postgres': {
      'api-server': postgresUrl('orch_api_server', 'one'),
      gateway: postgresUrl('orch_gateway', 'one'),
    },
    nats: { password: 'nats-one' },
    'nats-gateway': { password: 'nats-gateway-one' },
    redis: { url: redisUrl('redis-one'), key: 'a'.repeat(32) },
    encryption: { 'config.yaml': encryption('one') },
  });
}

/** A service account that may do everything. */
async function letRobotIn(): Promise<void> {
  const robot = { metadata: { name: 'robot' } };
  expect((await writing.post('/api/v1/namespaces/default/serviceaccounts', robot)).status).toBe(201);
  const bound = await writing.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
  });
  expect(bound.status).toBe(201);
}

beforeAll(async () => {
  helm();
  stage = new RotationStage();
  openSsl = new OpenSsl(stage.dir);
  kms = new FakeKms(`${stage.dir}/kms.sock`);
  await kms.start();
  [ca, proxyCa, operators, signing] = ['ca', 'front-proxy-ca', 'operators', 'signing'].map((name) =>
    openSsl.authority(name),
  ) as [Made, Made, Made, Made];
  signer = keyPair();
  await stage.startBackends();
  await prepareBackends();
  writeSecrets();
  await stage.startPods();
  const certificate = openSsl.leaf('admin', ca, ADMIN);
  // HAProxy looks after the servers of callers with certificates apart from those of others.
  await waitUntil('it has found them', 60_000, async () => (await statusOf(stage.url, { certificate })) === 200);
  writing = new RenewedApi({ url: stage.url, ca: ca.cert, certificate });
  await letRobotIn();
  expect((await writing.post(SECRETS, { metadata: { name: 'old' }, stringData: { a: 'b' } })).status).toBe(201);
  watching = new RenewedApi({ url: stage.url, ca: ca.cert, token: await tokenOfRobot() });
  traffic = await Traffic.start(writing, watching);
}, TEST_MS);

afterAll(async () => {
  writing?.close();
  watching?.close();
  await stage?.stop();
  await kms?.stop();
});

/** The first step for what is read at the start: servers have other logins, and know both keys and both tokens. */
async function believeBoth(next: KeyPair): Promise<void> {
  const roles = ['orch_api_server', 'orch_gateway'];
  for (const role of roles) await sql(stage.postgresUrl, `CREATE ROLE ${role}_b LOGIN PASSWORD 'two' IN ROLE ${role}`);
  await redis('ACL', 'SETUSER', 'orch', '>redis-two');
  stage.write({
    'orch-postgres': {
      'api-server': postgresUrl('orch_api_server_b', 'two'),
      gateway: postgresUrl('orch_gateway_b', 'two'),
    },
    'sa-keys': { 'sa.pub': signer.publicKey + next.publicKey },
    tokens: { 'tokens.csv': tokenLine('token-one') + tokenLine('token-two') },
    redis: { url: redisUrl('redis-two') },
  });
  await stage.roll();
  await everywhere(200, { token: 'token-two' });
  adminToken = 'token-two';
  const logins = await sql<{ usename: string }>(
    stage.postgresUrl,
    "SELECT DISTINCT usename::text FROM pg_stat_activity WHERE usename LIKE 'orch%' ORDER BY 1",
  );
  expect(logins.map(({ usename }) => usename)).toEqual(roles.map((role) => `${role}_b`));
  for (const role of roles) await sql(stage.postgresUrl, `ALTER ROLE ${role} NOLOGIN`);
  await redis('ACL', 'SETUSER', 'orch', '<redis-one');
}

describe('under writes and watches through both tiers', { timeout: TEST_MS }, () => {
  test('what servers read when they start: logins of PostgreSQL, keys of service accounts, tokens of a file, Redis', async () => {
    const oldToken = watching.settings.token as string;
    const next = keyPair();
    await believeBoth(next);
    // Then the new key signs, and old tokens of the file go.
    stage.write({
      'sa-keys': { 'sa.key': next.privateKey },
      tokens: { 'tokens.csv': tokenLine('token-two') },
      redis: { key: 'b'.repeat(32) },
    });
    await stage.roll();
    await everywhere(401, { token: 'token-one' });
    const token = await tokenOfRobot();
    watching.renew({ token });
    await everywhere(200, { token: oldToken });
    // At last nobody knows the old one.
    stage.write({ 'sa-keys': { 'sa.pub': next.publicKey } });
    await stage.roll();
    await everywhere(401, { token: oldToken });
    await everywhere(200, { token });
    expect(await redis('CLIENT', 'LIST')).toContain('user=orch');
    traffic.expectWell();
    // Servers look for it within 80 seconds.
    kms.keyId = 'key-2';
  });

  test('certificates of servers and of the load balancer', async () => {
    const ports = [...stage.servers.map(({ port }) => port), stage.ports.balancer];
    const before = await Promise.all(ports.map(serialOf));
    stage.write({
      servers: serving(openSsl.leaf('servers', ca, SERVING)),
      balancer: serving(openSsl.leaf('balancer', ca, SERVING)),
    });
    const unchanged = async () => (await Promise.all(ports.map(serialOf))).filter((serial) => before.includes(serial));
    await expect.poll(unchanged, POLL).toEqual([]);
    await watchesAreHandedOn({ token: adminToken });
    traffic.expectWell();
  });

  test('the authority of servers and callers', async () => {
    const next = openSsl.authority('next-ca');
    const [oldCaller, newCaller] = [openSsl.leaf('a', ca, ADMIN), openSsl.leaf('b', next, ADMIN)];
    const both = bundle(ca, next);
    stage.write({ servers: { 'ca.crt': both }, balancer: { 'ca.crt': both } });
    await everywhere(200, { certificate: newCaller });
    await behindBalancer(200, { certificate: newCaller });
    for (const api of [writing, watching]) api.renew({ ca: both });
    stage.write({
      servers: serving(openSsl.leaf('servers', next, SERVING)),
      balancer: serving(openSsl.leaf('balancer', next, SERVING)),
    });
    writing.renew({ certificate: newCaller });
    await everywhere(200, { ca: next.cert, certificate: newCaller });
    await behindBalancer(200, { ca: next.cert, certificate: newCaller });
    await watchesAreHandedOn({ ca: next.cert, certificate: newCaller });
    stage.write({ servers: { 'ca.crt': next.cert }, balancer: { 'ca.crt': next.cert } });
    for (const api of [writing, watching]) api.renew({ ca: next.cert });
    await everywhere(401, { ca: next.cert, certificate: oldCaller });
    await behindBalancer(0, { ca: next.cert, certificate: oldCaller });
    await watchesAreHandedOn({ ca: next.cert, certificate: newCaller });
    ca = next;
    traffic.expectWell();
  });

  test("an operator's authority of callers, and the one that signs requests", async () => {
    const [nextOperators, nextSigning] = [openSsl.authority('next-operators'), openSsl.authority('next-signing')];
    const [old, signed] = [openSsl.leaf('a', operators, ADMIN), openSsl.leaf('b', signing, ADMIN)];
    const [fresh, freshlySigned] = [openSsl.leaf('c', nextOperators, ADMIN), openSsl.leaf('d', nextSigning, ADMIN)];
    for (const certificate of [old, signed]) await everywhere(200, { certificate });
    // What has been signed is good for as long as the authority is believed.
    stage.write({ 'client-ca': { 'ca.crt': bundle(operators, nextOperators, signing) } });
    await everywhere(200, { certificate: fresh });
    stage.write({ signing: serving(nextSigning) });
    await everywhere(200, { certificate: freshlySigned });
    for (const certificate of [old, signed, fresh, freshlySigned]) {
      await everywhere(200, { certificate });
      await behindBalancer(200, { certificate });
    }
    stage.write({ 'client-ca': { 'ca.crt': nextOperators.cert } });
    for (const certificate of [old, signed]) await everywhere(401, { certificate });
    for (const certificate of [fresh, freshlySigned]) await everywhere(200, { certificate });
    traffic.expectWell();
  });

  test('identities of those who ask for others, and their authority', async () => {
    const next = openSsl.authority('next-front-proxy-ca');
    const [before, after] = [identities(proxyCa), identities(next)];
    const asAdmin = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
    stage.write({ servers: { 'front-proxy-ca.crt': bundle(proxyCa, next) } });
    await everywhere(200, { certificate: after.proxy }, asAdmin);
    await stage.writeForAll({ servers: after.ofServers, balancer: after.ofBalancer });
    await watchesAreHandedOn({ token: adminToken });
    stage.write({ servers: { 'front-proxy-ca.crt': next.cert } });
    await everywhere(401, { certificate: before.proxy }, asAdmin);
    await everywhere(200, { certificate: after.proxy }, asAdmin);
    await watchesAreHandedOn({ token: adminToken });
    traffic.expectWell();
  });

  test('passwords of NATS', async () => {
    const login = (pass: string) =>
      connectNats({ port: stage.nats.running[0]?.client ?? 0, user: 'orch', pass, reconnect: false });
    await (await login('nats-one')).close();
    stage.write({ nats: { password: 'nats-two' }, 'nats-gateway': { password: 'nats-gateway-two' } });
    await stage.nats.roll();
    await expect(login('nats-one')).rejects.toThrow();
    await busIsWhole('nats-two');
    traffic.expectWell();
  });

  test('one NATS becomes three, and one again, and no server stays on a bus of its own', async () => {
    for (const replicas of [3, 1]) {
      await stage.scaleNats(replicas);
      expect(stage.nats.running).toHaveLength(replicas);
      await busIsWhole('nats-two');
      traffic.expectWell();
    }
  });

  test('keys of the encryption configuration, and of a key management service', async () => {
    const loaded = /^orch_encryption_config_reloads_total\{result="success"\} (\d+)$/m;
    const reloads = () => Promise.all(stage.servers.map(({ url }) => metricOf(url, loaded)));
    const configure = async (...keys: readonly string[]) => {
      const before = await reloads();
      stage.write({ encryption: { 'config.yaml': encryption(...keys) } });
      await expect.poll(reloads, POLL).toEqual(before.map((times) => times + 1));
    };
    const [{ pod } = { pod: undefined }] = stage.servers;
    const rewrite = (...more: readonly string[]) => {
      const file = pod?.args.find((arg) => arg.startsWith('--encryption-provider-config=')) ?? '';
      return stage.orchctl(['storage', 'rewrite', '--naming=kubernetes', file, '--rate=2000', ...more]);
    };
    const isComplete = () =>
      rewrite('--check').then(
        () => true,
        () => false,
      );
    await configure('one', 'two');
    await configure('two', 'one');
    await rewrite();
    await waitUntil('nothing is encrypted otherwise', 60_000, async () => {
      if (await isComplete()) return true;
      await rewrite();
      return false;
    });
    await configure('two');
    expect(await isComplete(), 'all can be read without the old key').toBe(true);
    // The service has turned to another key before: it may go once every server has heard of it, and all is written anew.
    const hash = /^apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds\{.*key_id_hash="([^"]+)"/gm;
    await expect
      .poll(() => Promise.all(stage.servers.map(({ url }) => distinct(url, hash))), LONG)
      .toEqual(stage.servers.map(() => 2));
    await rewrite();
    kms.forget('key-1');
    for (const { url, role } of stage.servers)
      if (role === 'api-server') {
        const api = new Api({ url, ca: ca.cert, token: adminToken });
        expect((await api.post(SECRETS, { metadata: { generateName: 'new-' } })).status).toBe(201);
        expect((await api.get(SECRETS)).status).toBe(200);
        api.close();
      }
    expect(await isComplete()).toBe(true);
    traffic.expectWell();
  });

  test('no request has failed, and nobody has listed again', () => traffic.stop());
});

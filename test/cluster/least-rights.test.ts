import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, ORCHCTL } from '../../tools/up/index.js';
import { sql } from '../faults/stage/sql.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const POLICY = fileURLToPath(new URL('../../deploy/audit/policy.yaml', import.meta.url));
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const PASSWORDS = { orch_api_server: 'password-of-api-servers', orch_gateway: 'password-of-gateways' };
const POLL = { timeout: 60_000, interval: 50 };
const DENIED = /permission denied/;

/** Runs `orchctl` with a URL that no process list shows. */
const orchctl = (args: readonly string[], url?: string): string =>
  execFileSync(process.execPath, [ORCHCTL, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...(url !== undefined && { ORCH_POSTGRES_URL: url }) },
  });

/** The same database as another role. */
const as = (role: string, url: string): string => url.replace(/\/\/[^@]*@/, `//${role}@`);

describe('an api-server and a gateway with no more rights than they need', () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  let gateway: Api;
  const connections: NatsConnection[] = [];

  beforeAll(async () => {
    dir = makeServerFolder('orch-rights-');
    let permissions = orchctl(['nats', 'users']);
    for (const [user, password] of Object.entries(PASSWORDS)) {
      writeFileSync(join(dir, user), `${password}\n`);
      permissions = permissions.replace(`$${user.toUpperCase()}_NATS_PASSWORD`, JSON.stringify(password));
    }
    const natsConfig = join(dir, 'nats.conf');
    writeFileSync(natsConfig, permissions);
    const known = (user: string) => [`--nats-user=${user}`, `--nats-password-file=${join(dir, user)}`];
    cluster = await startCluster({
      dir,
      apiServers: 1,
      gateways: 1,
      natsArgs: ['-c', natsConfig],
      apiServerArgs: known('orch_api_server'),
      gatewayArgs: known('orch_gateway'),
      databaseRole: (server) => (server.startsWith('api-server') ? 'orch_api_server' : 'orch_gateway'),
      serverArgs: ['--migrate=false', '--history-retention=2s', `--audit-policy-file=${POLICY}`, '--audit-postgres'],
      async prepare({ postgresUrl }) {
        orchctl(['storage', 'roles', '--external-login', '--audit-postgres'], postgresUrl);
        const made = orchctl(
          ['storage', 'migrate', '--naming=kubernetes', '--audit-postgres'],
          as('orch_migrator', postgresUrl),
        );
        expect(made).toMatch(/^the schema cluster is at \d+\nthe schema audit is at \d+\n$/);
      },
    });
    const { ca, token } = cluster;
    api = new Api({ url: cluster.apiServerUrls[0] ?? '', ca, token });
    gateway = new Api({ url: cluster.gatewayUrls[0] ?? '', ca, token });
  });

  afterAll(async () => {
    api?.close();
    gateway?.close();
    for (const connection of connections) await connection.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('a write comes to a watch at the gateway, and a kind is established there', async () => {
    for (const server of [api, gateway])
      await expect.poll(async () => (await server.get('/metrics')).text, POLL).toMatch(/^orch_feed_bus_connected 1$/m);
    const stream = await gateway.watch(`${CONFIG_MAPS}?watch=1`);
    expect((await api.post(CONFIG_MAPS, { metadata: { name: 'one' }, data: { a: 'b' } })).status).toBe(201);
    const found = await stream.until(({ object }) => object.metadata.name === 'one');
    expect(found.at(-1)?.object.data).toEqual({ a: 'b' });
    stream.close();
    expect((await gateway.get(CONFIG_MAPS)).json().items.map((item: { data: unknown }) => item.data)).toContainEqual({
      a: 'b',
    });
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    expect((await api.post(DEFINITIONS, definition)).status).toBe(201);
    const established = async () =>
      (await api.get(`${DEFINITIONS}/widgets.example.com`))
        .json()
        .status?.conditions?.some(
          (one: { type: string; status: string }) => one.type === 'Established' && one.status === 'True',
        );
    await expect.poll(established, POLL).toBe(true);
    expect((await gateway.get(WIDGETS)).status).toBe(200);
  });

  test('a write that comes to the gateway is refused, and may be tried elsewhere', async () => {
    const answer = await gateway.post(CONFIG_MAPS, { metadata: { name: 'misled' } });
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBeDefined();
    expect(answer.json().message).toBe('this server only reads: writes are for an api-server');
    expect((await api.get(`${CONFIG_MAPS}/misled`)).status).toBe(404);
  });

  test('history is dropped, and who asks for what was then is told so', async () => {
    const { resourceVersion } = (await api.post(CONFIG_MAPS, { metadata: { name: 'old' } })).json().metadata;
    const then = `${CONFIG_MAPS}?limit=1&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    const told = async () => {
      await api.patch(`${CONFIG_MAPS}/old`, 'merge', { data: { now: String(Date.now()) } });
      return (await gateway.get(then)).status;
    };
    await expect.poll(told, POLL).toBe(410);
    const owners = await sql<{ owner: string }>(
      cluster.postgresUrl,
      "SELECT DISTINCT tableowner AS owner FROM pg_tables WHERE schemaname IN ('cluster', 'audit')",
    );
    expect(owners).toEqual([{ owner: 'orch_migrator' }]);
  });

  test('what is done is recorded by both, who cannot read, change or take back what was', async () => {
    const count = async (verb: string, name: string) => {
      const text = 'SELECT count(*) FROM audit.event WHERE verb = $1 AND name = $2';
      return Number((await sql<{ count: string }>(cluster.postgresUrl, text, [verb, name]))[0]?.count);
    };
    await expect.poll(() => count('create', 'one').catch(() => 0), POLL).toBe(1);
    expect((await gateway.get(`${CONFIG_MAPS}/one`)).status).toBe(200);
    await expect.poll(() => count('get', 'one'), POLL).toBe(1);
    for (const role of ['orch_api_server', 'orch_gateway']) {
      for (const statement of ['SELECT FROM audit.event', 'DELETE FROM audit.event', 'TRUNCATE audit.event'])
        await expect(sql(as(role, cluster.postgresUrl), statement)).rejects.toThrow(DENIED);
    }
    // Days are dropped by a function of who owns them, once they are old.
    for (const day of ['10000-01-01', '2020-01-01']) {
      const far = sql(as('orch_gateway', cluster.postgresUrl), `SELECT audit.ensure_event_day('${day}')`);
      await expect(far).rejects.toThrow('have no place');
    }
    const once = "CREATE TABLE audit.once PARTITION OF audit.event FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')";
    await sql(cluster.postgresUrl, once);
    const old = "SELECT audit.drop_old_event_days('30 days') AS days";
    expect(await sql(as('orch_api_server', cluster.postgresUrl), old)).toEqual([{ days: 1 }]);
    const gone = sql(as('orch_gateway', cluster.postgresUrl), "SELECT audit.drop_old_event_days('0 s')");
    await expect(gone).rejects.toThrow(DENIED);
  });

  test('the database lets neither do more', async () => {
    const refused = (role: string, statement: string) =>
      expect(sql(as(role, cluster.postgresUrl), statement), `${role}: ${statement}`).rejects.toThrow(
        /permission denied|must be owner/,
      );
    await sql(cluster.postgresUrl, 'CREATE SCHEMA other; CREATE TABLE other.secret ()');
    for (const role of ['orch_api_server', 'orch_gateway', 'orch_migrator']) {
      await refused(role, 'SELECT FROM other.secret');
      await refused(role, 'CREATE ROLE mine');
      await refused(role, 'CREATE DATABASE mine');
    }
    for (const role of ['orch_api_server', 'orch_gateway']) await refused(role, 'DROP SCHEMA cluster CASCADE');
    await refused('orch_gateway', 'DELETE FROM object');
    await refused('orch_gateway', 'INSERT INTO object SELECT * FROM object');
  });

  test('NATS lets the gateway hear changes and announce none', async () => {
    const thief = await connect({ servers: cluster.natsUrl, user: 'orch_gateway', pass: PASSWORDS.orch_gateway });
    connections.push(thief);
    const refused: string[] = [];
    void (async () => {
      for await (const status of thief.status()) if (status.type === 'error') refused.push(String(status.error));
    })();
    const heard: string[] = [];
    thief.subscribe('orch.*.changes.*', { callback: (_, { subject }) => void heard.push(subject) });
    await thief.flush();
    expect((await api.post(CONFIG_MAPS, { metadata: { name: 'announced' } })).status).toBe(201);
    await expect.poll(() => heard.length, POLL).toBeGreaterThan(0);
    const [subject = ''] = heard;
    thief.publish(subject, 'forged');
    await expect.poll(() => refused.join(), POLL).toContain(subject);
  });

  test('servers start again, migrated meanwhile, and the gateway waits for one that may go on with history', async () => {
    orchctl(['storage', 'roles', '--external-login', '--audit-postgres'], cluster.postgresUrl);
    orchctl(
      ['storage', 'migrate', '--naming=kubernetes', '--audit-postgres'],
      as('orch_migrator', cluster.postgresUrl),
    );
    expect((await api.post(CONFIG_MAPS, { metadata: { name: 'between' } })).status).toBe(201);
    const [server] = cluster.apiServers;
    const [watcher] = cluster.gateways;
    await Promise.all([server?.stop(), watcher?.stop()]);
    await sql(cluster.postgresUrl, "UPDATE heartbeat SET at = at - interval '1 minute'");
    await Promise.all([watcher?.start(), server?.start()]);
    expect((await gateway.get(`${CONFIG_MAPS}/between`)).status).toBe(200);
    const resumed = await sql<{ resumed: string }>(cluster.postgresUrl, 'SELECT resumed FROM installation');
    expect(Number(resumed[0]?.resumed)).toBeGreaterThan(0);
  });
});

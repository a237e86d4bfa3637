import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { decodeBatch, encodeBatches } from '@orch/feed/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { sql } from '../faults/stage/sql.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const PASSWORD = 'a-password-of-nats';
const MAX_WAIT_MS = 15_000;

describe('an api-server and a gateway, over a NATS that asks who they are', () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  let gateway: Api;
  /** Somebody else with the password: hears everything, and may send what he likes. */
  let other: NatsConnection;
  const heard: { subject: string; data: Buffer }[] = [];

  beforeAll(async () => {
    dir = makeServerFolder('orch-nats-');
    const passwordFile = join(dir, 'password');
    writeFileSync(passwordFile, `${PASSWORD}\n`);
    cluster = await startCluster({
      dir,
      apiServers: 1,
      gateways: 1,
      natsArgs: ['--user', 'orch', '--pass', PASSWORD],
      serverArgs: ['--nats-user=orch', `--nats-password-file=${passwordFile}`],
    });
    const { ca, token } = cluster;
    api = new Api({ url: cluster.apiServerUrls[0] ?? '', ca, token });
    gateway = new Api({ url: cluster.gatewayUrls[0] ?? '', ca, token });
    other = await connect({ servers: cluster.natsUrl, user: 'orch', pass: PASSWORD, noEcho: true });
    other.subscribe('*.*.changes.*', {
      callback: (_, { subject, data }) => {
        heard.push({ subject, data: Buffer.from(data) });
      },
    });
    await other.flush();
  });

  afterAll(async () => {
    api?.close();
    gateway?.close();
    await other?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const refused = async (reason: string): Promise<number> => {
    const { text } = await gateway.get('/metrics');
    return Number(new RegExp(`^orch_feed_refused_messages_total\\{reason="${reason}"\\} (\\d+)`, 'm').exec(text)?.[1]);
  };

  test('lets nobody else in, and servers do not tell the password', async () => {
    await expect(connect({ servers: cluster.natsUrl })).rejects.toThrow(/Authorization/i);
    for (const server of [api, gateway])
      expect((await server.get('/metrics')).text).toMatch(/^orch_feed_bus_connected 1$/m);
    for (const { logFile } of [...cluster.apiServers, ...cluster.gateways])
      expect(readFileSync(logFile, 'utf8')).not.toContain(PASSWORD);
  });

  test('announces Secrets without what is in them', async () => {
    const [secrets, configMaps] = [
      await gateway.watch(`${SECRETS}?watch=1`),
      await gateway.watch(`${CONFIG_MAPS}?watch=1`),
    ];
    expect((await api.post(CONFIG_MAPS, { metadata: { name: 'open' }, data: { a: 'to be seen' } })).status).toBe(201);
    expect((await api.post(SECRETS, { metadata: { name: 'closed' }, stringData: { a: 'hidden' } })).status).toBe(201);
    expect((await secrets.next())?.object.data).toEqual({ a: Buffer.from('hidden').toString('base64') });
    expect((await configMaps.next())?.object.data).toEqual({ a: 'to be seen' });
    const said = () => heard.map(({ data }) => data.toString('latin1')).join('\n');
    await waitUntil('both were announced', MAX_WAIT_MS, () => /closed/.test(said()) && /to be seen/.test(said()));
    expect(said()).not.toMatch(/hidden|aGlkZGVu/);
    secrets.close();
    configMaps.close();
  });

  test('takes nothing forged for true: no event, no list, no base of an update, no rewind', async () => {
    const made = (await api.post(CONFIG_MAPS, { metadata: { name: 'target' }, data: { a: 'true' } })).json();
    const stream = await gateway.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
    const own = () => heard.find(({ data }) => data.includes('target'));
    await waitUntil('it was announced', MAX_WAIT_MS, () => own() !== undefined);
    const { subject, data } = own() ?? { subject: '', data: Buffer.alloc(0) };
    const change = decodeBatch(data).at(-1);
    if (change === undefined) throw new Error('no change in it');
    const before = await refused('unsigned');
    for (const version of [change.version + 1n, change.version + 1_000_000n, 2n ** 63n - 1n]) {
      const body = Buffer.from(change.body.toString().replace('"true"', '"forged"'));
      const [forged] = encodeBatches([{ ...change, op: 'update', version, previous: change.version, body }], 1 << 20);
      other.publish(subject, forged);
    }
    await other.flush();
    await waitUntil('they were dropped', MAX_WAIT_MS, async () => (await refused('unsigned')) >= before + 3);
    for (const server of [api, gateway]) {
      const list = await server.get(`${CONFIG_MAPS}?resourceVersion=0`);
      expect([list.status, list.text.includes('forged')]).toEqual([200, false]);
      expect((await server.get(`${CONFIG_MAPS}/target`)).json().data).toEqual({ a: 'true' });
    }
    const patched = await api.patch(`${CONFIG_MAPS}/target`, 'merge', { data: { b: 'next' } });
    expect(patched.json().data).toEqual({ a: 'true', b: 'next' });
    const event = await stream.next();
    expect([event?.type, event?.object.data]).toEqual(['MODIFIED', { a: 'true', b: 'next' }]);
    expect(await sql(cluster.postgresUrl, 'SELECT epoch FROM installation')).toEqual([{ epoch: '1' }]);
    stream.close();
  });

  test('goes on when the keys are taken away', async () => {
    const stream = await gateway.watch(`${CONFIG_MAPS}?watch=1`);
    await sql(cluster.postgresUrl, 'DELETE FROM announcement_key');
    expect((await api.post(CONFIG_MAPS, { metadata: { name: 'after' } })).status).toBe(201);
    const found = await stream.until(({ object }) => object.metadata.name === 'after');
    expect(found.at(-1)?.object.metadata.name).toBe('after');
    stream.close();
  });
});

import { rmSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Api, type ApiList, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const PATH = '/apis/apps/v1/namespaces/default/statefulsets';
const labels = { app: 'a' };
const statefulSet = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name, labels },
  spec: {
    serviceName: 's',
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
});

/** A default that objects lack when a server before it wrote them. */
const YOUNGER = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } };

/** Updates a stored body as servers of the previous release do, without that default; $1 is the object. */
const REWRITE = `
  SELECT w.o_outcome FROM object o CROSS JOIN LATERAL commit_units(
    NULL, ARRAY[o.type], '{}', 0, '{1}', '{3}', ARRAY[o.namespace], ARRAY[o.name], '{""}', ARRAY[o.version],
    ARRAY[o.stored_version],
    ARRAY[convert_to(regexp_replace(convert_from(o.body, 'UTF8'), ',"persistentVolumeClaimRetentionPolicy":{[^}]*}', ''), 'UTF8')],
    ARRAY[o.owners], '{1}') w
   WHERE o.name = $1`;

describe('objects that were written before there was a default of theirs', () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  let gateway: Api;
  let database: pg.Client;

  beforeAll(async () => {
    dir = makeServerFolder('orch-older-');
    cluster = await startCluster({ dir, apiServers: 1, gateways: 1 });
    const [apiServer = '', behind = ''] = [...cluster.apiServerUrls, ...cluster.gatewayUrls];
    api = new Api({ url: apiServer, ca: cluster.ca, token: cluster.token });
    gateway = new Api({ url: behind, ca: cluster.ca, token: cluster.token });
    database = new pg.Client(cluster.postgresUrl);
    await database.connect();
    await database.query('SET search_path = cluster');
  });

  afterAll(async () => {
    await database?.end();
    api?.close();
    gateway?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function rewrite(name: string): Promise<void> {
    const { rows } = await database.query(REWRITE, [name]);
    expect(rows).toEqual([{ o_outcome: 1 }]);
  }

  async function create(name: string): Promise<ApiObject> {
    const answer = await api.post(PATH, statefulSet(name));
    expect(answer.status, answer.text).toBe(201);
    return answer.json();
  }

  const expectWhole = (objects: readonly ApiObject[], names: readonly string[]) => {
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(names);
    for (const { spec } of objects) expect(spec).toMatchObject(YOUNGER);
  };
  const list = async (from: Api, query: string) => (await from.get(`${PATH}?${query}`)).json<ApiList>();

  test('have it at an api-server and at a gateway: in gets, lists, pages, and watches of all sorts', async () => {
    const began = (await create('a')).metadata.resourceVersion;
    await create('b');
    const live = await gateway.watch(`${PATH}?watch=1&resourceVersion=${began}`);
    expect((await live.take(1)).map(({ object }) => object.metadata.name)).toEqual(['b']);
    await rewrite('a');
    await rewrite('b');
    // As it is with what was there before the column was.
    await database.query("UPDATE object SET defaults = NULL WHERE name = 'b'");
    const { rows } = await database.query("SELECT body FROM object WHERE name IN ('a', 'b')");
    for (const { body } of rows) expect(body.toString()).not.toContain('whenDeleted');

    const coming = await live.take(2);
    expect(coming.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED']);
    expectWhole(
      coming.map(({ object }) => object),
      ['a', 'b'],
    );
    live.close();
    expect((await api.get(`${PATH}/a`)).json().spec).toMatchObject(YOUNGER);
    const now = (await list(api, '')).metadata.resourceVersion;
    for (const query of ['', 'resourceVersion=0', `resourceVersion=${now}&resourceVersionMatch=Exact`])
      expectWhole((await list(api, query)).items, ['a', 'b']);
    const { items, metadata } = await list(api, 'limit=1');
    expectWhole([...items, ...(await list(api, `limit=1&continue=${metadata.continue}`)).items], ['a', 'b']);
    for (const [query, names] of [
      ['resourceVersion=0', ['a', 'b']],
      [`resourceVersion=${began}`, ['b', 'a', 'b']],
    ] as const) {
      const stream = await gateway.watch(`${PATH}?watch=1&${query}`);
      expectWhole(
        (await stream.take(names.length)).map(({ object }) => object),
        names,
      );
      stream.close();
    }
  });

  test('get it for good with what is written as it is, once, and are then what they were', async () => {
    const [old = expect.unreachable()] = (await list(api, 'resourceVersion=0')).items;
    const written = (await api.put(`${PATH}/a`, { ...statefulSet('a'), ...old })).json();
    expect(written.metadata.resourceVersion).not.toBe(old.metadata.resourceVersion);
    expect(written.spec).toEqual(old.spec);
    expect(written.metadata.managedFields).toEqual(old.metadata.managedFields);
    const { rows } = await database.query("SELECT defaults, body FROM object WHERE name = 'a'");
    expect(rows[0]?.body.toString()).toContain('whenDeleted');
    expect(rows[0]?.defaults).toBeGreaterThan(0);
    expect((await api.put(`${PATH}/a`, written)).json().metadata.resourceVersion).toBe(
      written.metadata.resourceVersion,
    );
  });
});

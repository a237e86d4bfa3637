import { rmSync } from 'node:fs';
import { ConversionServer } from '@orch/webhooks/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, type ManagedProcess, waitUntil } from '../../tools/up/index.js';
import { Api, type ApiList, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { sizedWidgets } from '../support/sized-widgets.js';

const POLL = { timeout: 90_000, interval: 100 };
const GROUP = 'apiextensions.k8s.io/v1';
const DEFINITIONS = `/apis/${GROUP}/customresourcedefinitions`;
const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
/** Migrated in some four seconds. */
const COUNT = 160;
const at = (version: string, name = '') =>
  `/apis/example.com/${version}/namespaces/default/widgets${name && `/${name}`}`;
const specOf = (version: string, size: number) => (version === 'v1' ? { size } : { dimension: { size } });
const widget = (version: string, name: string, size: number) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec: specOf(version, size),
});

let dir: string;
let cluster: Cluster;
let webhook: ConversionServer;
let database: pg.Client;
let apis: Api[];
beforeAll(async () => {
  dir = makeServerFolder('orch-migration-');
  webhook = await ConversionServer.start();
  // A short time for requests: a migration begins after twice as long. Slow, so that it is met in its middle.
  const serverArgs = ['--request-timeout=1s', '--storage-migration-rate=40'];
  cluster = await startCluster({ dir, serverArgs, gateways: 0 });
  apis = cluster.apiServerUrls.map((url) => new Api({ url, ca: cluster.ca, token: cluster.token }));
  database = new pg.Client(cluster.postgresUrl);
  await database.connect();
  expect(
    (await apiOf(0).post(DEFINITIONS, sizedWidgets({ group: 'example.com', apiVersion: GROUP }, webhook.conversion())))
      .status,
  ).toBe(201);
  for (const api of apis) {
    await waitUntil('widgets are served', POLL.timeout, async () => (await api.get(at('v1'))).status === 200);
  }
  for (let i = 0; i < COUNT; i++) {
    const made = async () => (await apiOf(i).post(at('v1'), widget('v1', `w${i}`, i))).status;
    await waitUntil('a widget is made', POLL.timeout, async () => [201, 409].includes(await made()));
  }
}, 300_000);
afterAll(async () => {
  for (const api of apis ?? []) api.close();
  await database?.end();
  await cluster?.stop();
  await webhook?.close();
  rmSync(dir, { recursive: true, force: true });
});

const apiOf = (index: number): Api => apis[index % apis.length] as Api;
const serverOf = (index: number): ManagedProcess => cluster.apiServers[index % apis.length] as ManagedProcess;

/** Reads with retries: a request has one second here, which a busy machine may use up. */
async function read<T>(by: Api, path: string): Promise<T> {
  let answer = await by.get(path);
  await waitUntil(path, POLL.timeout, async () => {
    if (answer.status !== 200) answer = await by.get(path);
    return answer.status === 200;
  });
  return answer.json<T>();
}

const outline = async (by: Api): Promise<ApiObject['status']> => (await read<ApiObject>(by, DEFINITION)).status;
const reasonOf = (status: ApiObject['status']): string | undefined =>
  status?.conditions?.find(({ type }: ApiObject) => type === 'StorageMigrating')?.reason;

/** In which versions objects lie, and how many in each. */
async function lying(): Promise<Record<string, number>> {
  const { rows } = await database.query(
    `SELECT o.stored_version AS version, count(*)::int AS count FROM cluster.object o
     JOIN cluster.resource_type t ON t.id = o.type WHERE t.resource = 'widgets' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ version, count }) => [version, count]));
}

/** Has another version stored. */
async function flip(by: Api, storage: string): Promise<void> {
  const { spec } = await read<ApiObject>(by, DEFINITION);
  const versions = spec.versions.map((each: ApiObject) => ({ ...each, storage: each.name === storage }));
  await expect.poll(async () => (await by.patch(DEFINITION, 'merge', { spec: { versions } })).status, POLL).toBe(200);
}

/** Some have been brought to a version, others have not. */
const half = (storage: string) =>
  expect
    .poll(async () => {
      const { [storage]: done = 0, ...others } = await lying();
      return done > 10 && Object.keys(others).length > 0;
    }, POLL)
    .toBe(true);

/** Nothing lies in another version, and the definition says so. */
async function isDone(by: Api, storage: string): Promise<void> {
  await expect
    .poll(async () => {
      const status = await outline(by);
      return [status?.storedVersions, reasonOf(status)];
    }, POLL)
    .toEqual([[storage], 'Completed']);
  expect(Object.keys(await lying())).toEqual([storage]);
}

/** Writes objects of its own by way of one server, in both versions, until told to end. @returns what each must say */
async function writer(of: number, ended: () => boolean): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let step = 0; !ended(); step++) {
    const [name, version] = [`x${of}-${step % 20}`, step % 3 === 0 ? 'v1' : 'v2'];
    const answer = await (sizes.has(name)
      ? apiOf(of).patch(at(version, name), 'merge', { spec: specOf(version, step) })
      : apiOf(of).post(at(version), widget(version, name, step))
    ).catch(() => undefined);
    if (answer && answer.status < 300) sizes.set(name, step);
    // What became of it is not known: its own object is not looked at.
    else if (!answer || answer.status >= 500 || answer.status === 409) sizes.set(name, Number.NaN);
    if (!answer) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return sizes;
}

/** Objects as they are in v2, without what a migration changes. */
async function said(by: Api): Promise<Map<string, unknown>> {
  const { items } = await read<ApiList>(by, at('v2'));
  return new Map(
    items.map(({ metadata: { resourceVersion: _version, ...metadata }, spec }) => [metadata.name, { metadata, spec }]),
  );
}

test.each([
  ['v2', 'the server that migrates is killed, and the other goes on'],
  ['v1', 'it stands still until the other has taken over, and then goes on as well'],
  ['v2', 'both are killed'],
  ['v1', 'the version is changed to and fro'],
] as const)(
  'objects come to %s though %s',
  async (storage, fault) => {
    const before = await said(apiOf(0));
    let ended = false;
    // A server that stands still has no writes under way: what such a one may write late is not guarded.
    const writers = fault.startsWith('it stands') ? [] : [0, 1].map((of) => writer(of, () => ended));
    await flip(apiOf(1), storage);
    await half(storage);
    if (fault.startsWith('the server')) {
      // Whichever it is that migrates, it is one of them.
      for (const index of [0, 1]) {
        await serverOf(index).kill('SIGKILL');
        await half(storage).catch(() => undefined);
        await serverOf(index).start();
      }
    } else if (fault.startsWith('it stands')) {
      for (const index of [0, 1]) {
        await serverOf(index).kill('SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, 11_000));
        await serverOf(index).kill('SIGCONT');
      }
    } else if (fault.startsWith('both')) {
      await Promise.all([serverOf(0).kill('SIGKILL'), serverOf(1).kill('SIGKILL')]);
      await Promise.all([serverOf(0).start(), serverOf(1).start()]);
    } else {
      const other = storage === 'v1' ? 'v2' : 'v1';
      await flip(apiOf(0), other);
      await flip(apiOf(1), storage);
      await half(storage);
      await flip(apiOf(1), other);
      await half(other).catch(() => undefined);
      await flip(apiOf(0), storage);
    }
    await isDone(apiOf(0), storage);
    ended = true;
    const written = await Promise.all(writers);
    expect(Object.keys(await lying())).toEqual([storage]);
    for (const api of apis) {
      const after = await said(api);
      for (const [name, object] of before) if (name.startsWith('w')) expect(after.get(name)).toEqual(object);
      for (const [name, size] of written.flatMap((sizes) => [...sizes])) {
        if (!Number.isNaN(size)) expect(after.get(name)).toMatchObject({ spec: { dimension: { size } } });
      }
    }
  },
  300_000,
);

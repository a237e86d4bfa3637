import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type ApiList, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const POLL = { timeout: 60_000, interval: 50 };
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
const COUNT = 120;

const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [version('v1', true), version('v2', false)],
  },
};
const widgets = (name: string) => `/apis/example.com/${name}/namespaces/default/widgets`;

let server: Standalone;
let api: Api;
beforeAll(async () => {
  // A short time for requests: a migration begins after twice as long. Slow, so that it can be interrupted.
  server = await startStandalone({ args: ['--request-timeout=1s', '--storage-migration-rate=40'] });
  api = new Api({ url: server.url, ca: server.ca, token: server.token });
});
afterAll(() => server.stop());

const definitionNow = async () => (await api.get(DEFINITION)).json<ApiObject>();
async function migration(): Promise<string | undefined> {
  const { status } = await definitionNow();
  return status?.conditions?.find(({ type }: ApiObject) => type === 'StorageMigrating')?.reason;
}
/** Versions of objects, which a write changes. */
async function versionsNow(): Promise<string[]> {
  const { items } = (await api.get(widgets('v2'))).json<ApiList>();
  return items.map(({ metadata }) => String(metadata?.resourceVersion));
}

/** Whether objects say what they said, in another version. */
const said = ({ items }: ApiList) =>
  items.map(({ metadata, apiVersion: _version, ...rest }) => {
    const { resourceVersion: _written, managedFields, ...kept } = metadata ?? {};
    return { ...rest, metadata: kept, owners: managedFields };
  });

test('objects are brought to the version that is stored, also across a restart, and the other version can go', async () => {
  expect((await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status).toBe(201);
  await expect.poll(async () => (await api.get(widgets('v1'))).status, POLL).toBe(200);
  for (let i = 0; i < COUNT; i++) {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: `w${i}` }, spec: { i } };
    expect((await api.post(widgets('v1'), widget)).status).toBe(201);
  }
  const before = said((await api.get(widgets('v2'))).json<ApiList>());
  const versions = new Set(await versionsNow());
  const rewritten = async () => (await versionsNow()).filter((each) => !versions.has(each)).length;

  const spec = { versions: [version('v1', false), version('v2', true)] };
  expect((await api.patch(DEFINITION, 'merge', { spec })).status).toBe(200);
  expect((await definitionNow()).status?.storedVersions).toEqual(['v1', 'v2']);
  await expect.poll(rewritten, POLL).toBeGreaterThan(0);
  expect(await rewritten()).toBeLessThan(COUNT);
  expect(await migration()).toBe('InProgress');
  await server.process.kill('SIGKILL');
  await server.process.start();

  await expect.poll(migration, POLL).toBe('Completed');
  expect((await definitionNow()).status?.storedVersions).toEqual(['v2']);
  expect(await rewritten()).toBe(COUNT);
  expect(said((await api.get(widgets('v2'))).json<ApiList>())).toEqual(before);
  const once = new Set(await versionsNow());
  expect((await api.patch(DEFINITION, 'merge', { spec: { versions: [version('v2', true)] } })).status).toBe(200);
  await expect.poll(async () => (await api.get(widgets('v1'))).status, POLL).toBe(404);
  expect((await versionsNow()).every((each) => once.has(each))).toBe(true);
}, 180_000);

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const POLL = { timeout: 30_000, interval: 20 };
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
const NAMESPACE = '/api/v1/namespaces/going';
const WIDGETS = '/apis/example.com/v1/namespaces/going/widgets';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'kept', finalizers: ['example.com/x'] },
};

let server: Standalone;
let api: Api;
beforeAll(async () => {
  server = await startStandalone();
  api = new Api({ url: server.url, ca: server.ca, token: server.token });
});
afterAll(() => server.stop());

async function restart(kill: boolean): Promise<void> {
  await (kill ? server.process.kill('SIGKILL') : server.process.stop());
  await server.process.start();
}

const statusOf = async (path: string) => (await api.get(path)).status;
const conditions = async (path: string): Promise<Record<string, string>> => {
  const { status } = (await api.get(path)).json<ApiObject>();
  return Object.fromEntries((status?.conditions ?? []).map((one: ApiObject) => [one.type, one.reason]));
};

describe('objects of a custom kind that a finalizer keeps', () => {
  test('keep their namespace, also when the server starts again', async () => {
    expect((await api.post(DEFINITIONS, definition)).status).toBe(201);
    await expect.poll(() => conditions(DEFINITION), POLL).toMatchObject({ Established: 'InitialNamesAccepted' });
    await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } });
    expect((await api.post(WIDGETS, widget)).status).toBe(201);
    expect((await api.delete(NAMESPACE)).status).toBe(200);
    const remains = { NamespaceContentRemaining: 'SomeResourcesRemain' };
    await expect.poll(() => conditions(NAMESPACE), POLL).toMatchObject(remains);
    for (const kill of [false, true]) {
      await restart(kill);
      expect([await statusOf(`${WIDGETS}/kept`), await statusOf(NAMESPACE)]).toEqual([200, 200]);
    }
  });

  test('keep their definition, which goes with them', async () => {
    expect((await api.delete(DEFINITION)).status).toBe(200);
    await expect.poll(() => conditions(DEFINITION), POLL).toMatchObject({ Terminating: 'InstanceDeletionCheck' });
    await restart(true);
    expect(await statusOf(`${WIDGETS}/kept`)).toBe(200);
    expect((await api.patch(`${WIDGETS}/kept`, 'merge', { metadata: { finalizers: null } })).status).toBe(200);
    for (const path of [DEFINITION, NAMESPACE]) await expect.poll(() => statusOf(path), POLL).toBe(404);
    expect(await statusOf(WIDGETS)).toBe(404);
  });
});

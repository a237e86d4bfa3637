import { controllerHost, type RunningControllers, runNamespaceController, type TestApi, testApi } from '@orch/testing';
import { ControllerClient, serverItself } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NamespaceContents } from './namespace-contents.js';

let api: TestApi;
let running: RunningControllers[];
let errors: unknown[];
beforeEach(async () => {
  api = await testApi();
  running = [];
  errors = [];
});
afterEach(async () => {
  for (const controllers of running) await controllers.stop();
  api.close();
  expect(errors).toEqual([]);
});

/** Runs the controller, as one process of the installation. */
async function start(on = api): Promise<RunningControllers> {
  const controllers = await runNamespaceController(on, { onError: (error) => void errors.push(error) });
  running.push(controllers);
  return controllers;
}
const clientOf = (on: TestApi) => new ControllerClient(controllerHost(on), 'namespace-controller');

const removeNamespace = (name: string) =>
  api.deps.remover.remove(api.endpoint('namespaces'), { namespace: '', name }, { dryRun: false }, serverItself());

describe('the namespace controller (spec: "Deletion of an object")', () => {
  it('empties a namespace that is deleted, and then lets it go', async () => {
    await start();
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (const name of ['a', 'b', 'c']) await api.create('configmaps', { metadata: { name } }, 'going');
    await api.create('secrets', { metadata: { name: 's' } }, 'going');
    await api.create('configmaps', { metadata: { name: 'stays' } });
    expect((await removeNamespace('going')).gone).toBe(false);
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
    expect(api.stored('configmaps', 'a', 'going')).toBeUndefined();
    expect(api.stored('secrets', 's', 'going')).toBeUndefined();
    expect(api.stored('configmaps', 'stays')).toBeDefined();
  });

  it('takes up what another process left half done', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'a' } }, 'going');
    await removeNamespace('going');
    expect(api.stored('namespaces', 'going')?.status).toMatchObject({ phase: 'Terminating' });
    await start();
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
  });

  it('looks at kinds as well that this process serves only since', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'late' } }, 'going');
    await removeNamespace('going');
    let namespaced = [api.endpoint('secrets')];
    const contents = new NamespaceContents({
      store: api.store,
      client: clientOf(api),
      namespaced: () => namespaced,
      async catchUp() {
        namespaced = [...namespaced, api.endpoint('configmaps')];
      },
    });
    expect(await contents.empty('going', () => false)).toEqual([]);
    expect(api.stored('configmaps', 'late', 'going')).toBeUndefined();
  });

  it('looks into no kind of which it holds nothing', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (const resource of ['configmaps', 'secrets']) await api.create(resource, { metadata: { name: 'a' } }, 'going');
    await removeNamespace('going');
    const { store } = api;
    const namespaced = () => api.deps.served.current.types.filter(({ definition }) => definition.namespaced);
    const contents = new NamespaceContents({ store, client: clientOf(api), namespaced });
    const before = store.calls.snapshot;
    expect(await contents.empty('going', () => false)).toEqual([]);
    expect(store.calls.snapshot - before).toBe(2);
    expect(await store.typesIn('going')).toEqual([]);
  });

  it('empties it of types that are switched off, which others may serve', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('secrets', { metadata: { name: 's' } }, 'going');
    await api.create('events', { metadata: { name: 'e' }, involvedObject: { namespace: 'going' } }, 'going');
    await removeNamespace('going');
    const other = await testApi({}, 'orch', api.store, {}, [], [], {}, ['secrets', 'events']);
    await start(other);
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
    await running.pop()?.stop();
    other.close();
    expect(api.stored('secrets', 's', 'going')).toBeUndefined();
    expect(api.stored('events', 'e', 'going')).toBeUndefined();
  });

  it('waits for what finalizers keep', async () => {
    await start();
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'a', finalizers: ['example.com/x'] } }, 'going');
    await removeNamespace('going');
    await expect
      .poll(() => api.stored('configmaps', 'a', 'going')?.metadata?.deletionTimestamp)
      .toEqual(expect.any(String));
    await running.pop()?.stop();
    expect(api.stored('namespaces', 'going')).toBeDefined();
  });

  it('says in its status what keeps it, and once it is gone no more', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (const name of ['a', 'b'])
      await api.create('configmaps', { metadata: { name, finalizers: ['example.com/x'] } }, 'going');
    await removeNamespace('going');
    await start();
    const conditions = () => (api.stored('namespaces', 'going')?.status as { conditions?: object[] })?.conditions;
    await expect.poll(conditions).toMatchObject([
      { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', reason: 'ResourcesDiscovered' },
      { type: 'NamespaceDeletionGroupVersionParsingFailure', status: 'False', reason: 'ParsedGroupVersions' },
      { type: 'NamespaceDeletionContentFailure', status: 'False', reason: 'ContentDeleted' },
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        reason: 'SomeResourcesRemain',
        message: 'Some resources are remaining: configmaps. has 2 resource instances',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        reason: 'SomeFinalizersRemain',
        message: 'Some content in the namespace has finalizers remaining: example.com/x in 2 resource instances',
      },
    ]);
  });

  it('goes on with the other types when one fails, and tells which', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (const resource of ['configmaps', 'secrets', 'endpoints'])
      await api.create(resource, { metadata: { name: 'a' } }, 'going');
    await removeNamespace('going');
    const { type } = api.endpoint('secrets');
    api.store.beforeWrite = (op) => {
      if (op.type === type) throw new Error('no secrets today');
      return undefined;
    };
    await start();
    const conditions = () => (api.stored('namespaces', 'going')?.status as { conditions?: object[] })?.conditions;
    await expect.poll(conditions).toMatchObject([
      { type: 'NamespaceDeletionDiscoveryFailure', status: 'False' },
      { type: 'NamespaceDeletionGroupVersionParsingFailure', status: 'False' },
      {
        type: 'NamespaceDeletionContentFailure',
        status: 'True',
        reason: 'ContentDeletionFailed',
        message: 'Failed to delete all resource types, these remain: secrets.: no secrets today',
      },
      { type: 'NamespaceContentRemaining', status: 'False', reason: 'ContentRemoved' },
      { type: 'NamespaceFinalizersRemaining', status: 'False', reason: 'ContentHasNoFinalizers' },
    ]);
    expect(api.stored('configmaps', 'a', 'going')).toBeUndefined();
    expect(api.stored('endpoints', 'a', 'going')).toBeUndefined();
    expect(api.stored('secrets', 'a', 'going')).toBeDefined();
    await running.pop()?.stop();
    expect(new Set(errors.splice(0).map(String))).toEqual(new Set(['Error: no secrets today']));
  });

  it('empties a namespace that two servers see to at once', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (let i = 0; i < 50; i++) await api.create('configmaps', { metadata: { name: `c${i}` } }, 'going');
    await removeNamespace('going');
    const other = await testApi({}, 'orch', api.store);
    await start();
    await start(other);
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
    await running.pop()?.stop();
    other.close();
    expect(api.store.rows(api.endpoint('configmaps').type).filter(({ namespace }) => namespace === 'going')).toEqual(
      [],
    );
  });

  it('is not misled by an annotation or a label of that name', async () => {
    const misleading = {
      annotations: { deletionTimestamp: '2001-01-01T00:00:00Z' },
      labels: { deletionTimestamp: 'x' },
    };
    await api.create('namespaces', { metadata: { name: 'busy', ...misleading } });
    await api.create('configmaps', { metadata: { name: 'a' } }, 'busy');
    await api.create('namespaces', { metadata: { name: 'going' } });
    await removeNamespace('going');
    await start();
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
    expect(api.stored('configmaps', 'a', 'busy')).toBeDefined();
    expect(api.stored('namespaces', 'busy')).toBeDefined();
  });

  it('leaves a namespace alone that finalizers of others keep, once it is empty', async () => {
    const spec = { finalizers: ['example.com/x'] };
    await api.create('namespaces', { metadata: { name: 'kept' }, spec });
    await start();
    await removeNamespace('kept');
    const finalizers = () => (api.stored('namespaces', 'kept')?.spec as { finalizers?: string[] })?.finalizers;
    await expect.poll(finalizers).toEqual(['example.com/x']);
    const before = api.store.writes.length;
    await api.create('namespaces', { metadata: { name: 'other' } });
    await removeNamespace('other');
    await expect.poll(() => api.stored('namespaces', 'other')).toBeUndefined();
    expect(api.store.writes.slice(before).filter(({ name }) => name === 'kept')).toEqual([]);
  });

  it('writes as its service account', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'a', finalizers: ['example.com/x'] } }, 'going');
    await removeNamespace('going');
    await start();
    const managers = () => api.stored('namespaces', 'going')?.metadata?.managedFields?.map(({ manager }) => manager);
    await expect.poll(managers).toContain('orch-controller-manager');
  });

  it('stops', async () => {
    await (await start()).stop();
    await api.create('namespaces', { metadata: { name: 'going' } });
    await removeNamespace('going');
    await new Promise((resolve) => setImmediate(resolve));
    expect(api.stored('namespaces', 'going')).toBeDefined();
  });
});

import { type TestApi, testApi } from '@orch/testing';
import { serverItself } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NamespaceContents } from './namespace-contents.js';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  await api.terminator.stop();
  api.close();
});

const removeNamespace = (name: string) =>
  api.deps.remover.remove(api.endpoint('namespaces'), { namespace: '', name }, { dryRun: false }, serverItself());

describe('NamespaceTerminator (spec: "Deletion of an object")', () => {
  it('empties a namespace that is deleted, and then lets it go', async () => {
    api.terminator.start();
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
    api.terminator.start();
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
  });

  it('looks at kinds as well that this process serves only since', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'late' } }, 'going');
    await removeNamespace('going');
    let namespaced = [api.endpoint('secrets')];
    const contents = new NamespaceContents({
      store: api.store,
      remover: api.deps.remover,
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
    const { store, deps } = api;
    const namespaced = () => api.deps.served.current.types.filter(({ definition }) => definition.namespaced);
    const contents = new NamespaceContents({ store, remover: deps.remover, namespaced });
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
    other.terminator.start();
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
    await other.terminator.stop();
    other.close();
    expect(api.stored('secrets', 's', 'going')).toBeUndefined();
    expect(api.stored('events', 'e', 'going')).toBeUndefined();
  });

  it('waits for what finalizers keep', async () => {
    api.terminator.start();
    await api.create('namespaces', { metadata: { name: 'going' } });
    await api.create('configmaps', { metadata: { name: 'a', finalizers: ['example.com/x'] } }, 'going');
    await removeNamespace('going');
    await expect
      .poll(() => api.stored('configmaps', 'a', 'going')?.metadata?.deletionTimestamp)
      .toEqual(expect.any(String));
    await api.terminator.stop();
    expect(api.stored('namespaces', 'going')).toBeDefined();
  });

  it('says in its status what keeps it, and once it is gone no more', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (const name of ['a', 'b'])
      await api.create('configmaps', { metadata: { name, finalizers: ['example.com/x'] } }, 'going');
    await removeNamespace('going');
    api.terminator.start();
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
    api.errors.expected = true;
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (const resource of ['configmaps', 'secrets', 'endpoints'])
      await api.create(resource, { metadata: { name: 'a' } }, 'going');
    await removeNamespace('going');
    const { type } = api.endpoint('secrets');
    api.store.beforeWrite = (op) => {
      if (op.type === type) throw new Error('no secrets today');
      return undefined;
    };
    api.terminator.start();
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
    expect(api.errors.seen.map(String)).toEqual(['Error: no secrets today']);
  });

  it('empties a namespace that two servers see to at once', async () => {
    await api.create('namespaces', { metadata: { name: 'going' } });
    for (let i = 0; i < 50; i++) await api.create('configmaps', { metadata: { name: `c${i}` } }, 'going');
    await removeNamespace('going');
    const other = await testApi({}, 'orch', api.store);
    api.terminator.start();
    other.terminator.start();
    await expect.poll(() => api.stored('namespaces', 'going')).toBeUndefined();
    await other.terminator.stop();
    other.close();
    expect(api.store.rows(api.endpoint('configmaps').type).filter(({ namespace }) => namespace === 'going')).toEqual(
      [],
    );
  });

  it.each([
    ['an annotation', { annotations: { deletionTimestamp: '2001-01-01T00:00:00Z' } }],
    ['a label', { labels: { deletionTimestamp: 'x' } }],
  ])('is not misled by %s of that name', async (_what, metadata) => {
    await api.create('namespaces', { metadata: { name: 'busy', ...metadata } });
    await api.create('configmaps', { metadata: { name: 'a' } }, 'busy');
    api.terminator.start();
    await api.deps.pipeline.write(api.request('UPDATE', 'namespaces', 'busy'), {
      change: (current) => ({
        ...current,
        metadata: { ...current.metadata, annotations: { ...current.metadata?.annotations, deletionTimestamp: 'now' } },
      }),
    });
    const snapshots = () => api.store.calls.snapshot;
    await expect.poll(snapshots).toBeGreaterThan(0);
    await api.terminator.stop();
    expect(api.stored('configmaps', 'a', 'busy')).toBeDefined();
    expect(api.stored('namespaces', 'busy')).toBeDefined();
    // It looked at the namespaces and at nothing within them.
    expect(snapshots()).toBe(1);
  });

  it('stops', async () => {
    api.terminator.start();
    await api.terminator.stop();
    await api.create('namespaces', { metadata: { name: 'going' } });
    await removeNamespace('going');
    await new Promise((resolve) => setImmediate(resolve));
    expect(api.stored('namespaces', 'going')).toBeDefined();
  });
});

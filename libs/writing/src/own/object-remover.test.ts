import type { ApiObject, StatusError } from '@orch/machinery';
import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeletionOptions } from './deletion.js';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(() => api.close());

const remove = (resource: string, name: string, options: Partial<DeletionOptions> = {}) => {
  const { endpoint, key, caller } = api.request('DELETE', resource, name);
  return api.deps.remover.remove(endpoint, key, { dryRun: false, ...options }, caller);
};
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('it was not refused'),
    (error: StatusError) => error.status,
  );
const pod = (name: string, spec: object = {}): ApiObject => ({
  metadata: { name },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
});
const metaOf = (resource: string, name: string) => api.stored(resource, name)?.metadata;

describe('deletion (spec: "Deletion of an object")', () => {
  it('removes at once what nothing keeps', async () => {
    const { metadata } = await api.create('configmaps', { metadata: { name: 'a' } });
    expect(await remove('configmaps', 'a')).toMatchObject({ gone: true, uid: metadata?.uid });
    expect(api.stored('configmaps', 'a')).toBeUndefined();
    expect(await refusal(remove('configmaps', 'a'))).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('marks what finalizers keep, and leaves it be the second time', async () => {
    await api.create('configmaps', { metadata: { name: 'a', finalizers: ['example.com/x'] } });
    expect((await remove('configmaps', 'a')).gone).toBe(false);
    expect(metaOf('configmaps', 'a')).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.com/x'],
    });
    const writes = api.store.writes.length;
    expect((await remove('configmaps', 'a')).gone).toBe(false);
    expect(api.store.writes.length).toBe(writes);
  });

  it.each([
    ['a pod without a node', { nodeName: '' }, {}],
    ['a pod that gets no time', {}, { gracePeriodSeconds: 0 }],
  ])('marks %s before it removes it, together', async (_what, spec, options) => {
    await api.create('pods', pod('p', spec));
    const heard: [string, unknown][] = [];
    let last: bigint | undefined;
    api.store.onCommit((changes) => {
      for (const { op, body } of changes) {
        const { metadata } = JSON.parse(body.toString()) as ApiObject;
        heard.push([op, [metadata?.deletionTimestamp !== undefined, metadata?.deletionGracePeriodSeconds]]);
      }
      last = changes.at(-1)?.version;
    });
    const removal = await remove('pods', 'p', options);
    expect(removal.gone).toBe(true);
    // Who watches from there has missed nothing, and hears of nothing twice.
    expect(last).toBeDefined();
    expect(removal.stored.version).toBe(last);
    expect(heard).toEqual([
      ['update', [true, 0]],
      ['delete', [true, 0]],
    ]);
  });

  it.each<[string, object, object, unknown]>([
    ['was not held back goes without a mark', {}, {}, [['delete', [false, undefined]]]],
    ['was held back goes with its mark', { finalizers: ['orphan'] }, { propagationPolicy: 'Background' }, 'marked'],
  ])('of another kind that %s', async (_what, metadata, options, wanted) => {
    await api.create('configmaps', { metadata: { name: 'a', ...metadata } });
    if (wanted === 'marked') await remove('configmaps', 'a', { propagationPolicy: 'Orphan' });
    const before = api.stored('configmaps', 'a');
    const heard: [string, unknown][] = [];
    api.store.onCommit((changes) => {
      for (const { op, body } of changes) {
        const { metadata: meta } = JSON.parse(body.toString()) as ApiObject;
        heard.push([op, [meta?.deletionTimestamp !== undefined, meta?.deletionGracePeriodSeconds]]);
      }
    });
    const removal = await remove('configmaps', 'a', options);
    expect(removal.gone).toBe(true);
    expect(heard).toEqual(wanted === 'marked' ? [['delete', [true, 0]]] : wanted);
    if (wanted !== 'marked')
      expect(JSON.parse(removal.stored.body.toString())).toMatchObject({ metadata: { uid: before?.metadata?.uid } });
  });

  it('marks a pod whose time is up once', async () => {
    await api.create('pods', { ...pod('p'), metadata: { name: 'p', finalizers: ['example.com/x'] } });
    await remove('pods', 'p', { gracePeriodSeconds: 0 });
    const writes = api.store.writes.length;
    const { endpoint, key, caller } = api.request('UPDATE', 'pods', 'p');
    const change = ({ metadata, ...rest }: ApiObject) => ({ ...rest, metadata: { ...metadata, finalizers: [] } });
    await api.deps.pipeline.write(
      { operation: 'UPDATE', endpoint, key, caller, subresource: '', options: { dryRun: false } },
      { change },
    );
    expect(api.store.writes.slice(writes).map(({ op }) => op)).toEqual(['delete']);
  });

  it('gives pods on a node their time, which a later deletion can only shorten', async () => {
    await api.create('pods', pod('p'));
    const before = Math.floor(Date.now() / 1000);
    expect((await remove('pods', 'p')).gone).toBe(false);
    const first = metaOf('pods', 'p');
    expect(first?.deletionGracePeriodSeconds).toBe(30);
    expect(Date.parse(first?.deletionTimestamp ?? '') / 1000).toBeGreaterThanOrEqual(before + 30);
    await remove('pods', 'p', { gracePeriodSeconds: 60 });
    expect(metaOf('pods', 'p')).toMatchObject({ deletionGracePeriodSeconds: 30 });
    await remove('pods', 'p', { gracePeriodSeconds: 10 });
    expect(metaOf('pods', 'p')?.deletionGracePeriodSeconds).toBe(10);
    const shorter = Date.parse(metaOf('pods', 'p')?.deletionTimestamp ?? '');
    expect(Date.parse(first?.deletionTimestamp ?? '') - shorter).toBe(20_000);
    expect((await remove('pods', 'p', { gracePeriodSeconds: 0 })).gone).toBe(true);
  });

  it.each([2 ** 31, 1e12, 999_999_999_999_999, Number.MAX_SAFE_INTEGER])(
    'survives a grace of %i seconds',
    async (gracePeriodSeconds) => {
      await api.create('pods', pod('p'));
      await remove('pods', 'p', { gracePeriodSeconds });
      expect(Date.parse(metaOf('pods', 'p')?.deletionTimestamp ?? '')).toBeGreaterThan(Date.now());
      expect((await remove('pods', 'p', { gracePeriodSeconds: 0 })).gone).toBe(true);
    },
  );

  it.each([1e15, 2n ** 62n])('survives pods that want %s seconds for themselves', async (seconds) => {
    await api.create('pods', pod('p', { terminationGracePeriodSeconds: seconds }));
    expect((await remove('pods', 'p')).gone).toBe(false);
    expect((await remove('pods', 'p', { gracePeriodSeconds: 0 })).gone).toBe(true);
  });

  it.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ] as const)('keeps the policy %s as a finalizer', async (propagationPolicy, finalizers) => {
    await api.create('configmaps', { metadata: { name: 'a' } });
    expect((await remove('configmaps', 'a', { propagationPolicy })).gone).toBe(false);
    expect(metaOf('configmaps', 'a')?.finalizers).toEqual(finalizers);
    expect((await remove('configmaps', 'a', { propagationPolicy: 'Background' })).gone).toBe(true);
  });

  describe('of a kind that orphans by default', () => {
    const labels = { app: 'a' };
    const template = {
      metadata: { labels },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    };
    const finalizers = () => metaOf('jobs', 'j')?.finalizers;
    beforeEach(() => api.create('jobs', { metadata: { name: 'j' }, spec: { template } }));

    it.each([
      ['Foreground', ['foregroundDeletion']],
      ['Orphan', ['orphan']],
    ] as const)('goes on as it began with %s when it is asked for again without a policy', async (policy, kept) => {
      await remove('jobs', 'j', { propagationPolicy: policy });
      expect(finalizers()).toEqual(kept);
      expect((await remove('jobs', 'j')).gone).toBe(false);
      expect(finalizers()).toEqual(kept);
    });

    it('does what its default says where nobody said anything', async () => {
      await remove('jobs', 'j');
      expect(finalizers()).toEqual(['orphan']);
    });

    it('does what is asked for last', async () => {
      await remove('jobs', 'j', { propagationPolicy: 'Foreground' });
      await remove('jobs', 'j', { propagationPolicy: 'Orphan' });
      expect(finalizers()).toEqual(['orphan']);
      expect((await remove('jobs', 'j', { propagationPolicy: 'Background' })).gone).toBe(true);
    });

    it('honours a finalizer that it was created with', async () => {
      await api.create('jobs', { metadata: { name: 'f', finalizers: ['foregroundDeletion'] }, spec: { template } });
      await remove('jobs', 'f');
      expect(metaOf('jobs', 'f')?.finalizers).toEqual(['foregroundDeletion']);
    });
  });

  it('leaves the dependents of pods under way as they are until their time is shortened', async () => {
    await api.create('pods', pod('p'));
    await remove('pods', 'p', { propagationPolicy: 'Foreground' });
    await remove('pods', 'p', { propagationPolicy: 'Orphan', gracePeriodSeconds: 60 });
    expect(metaOf('pods', 'p')?.finalizers).toEqual(['foregroundDeletion']);
    await remove('pods', 'p', { propagationPolicy: 'Orphan', gracePeriodSeconds: 5 });
    expect(metaOf('pods', 'p')?.finalizers).toEqual(['orphan']);
  });

  it('keeps no policy of events: they have no dependents', async () => {
    await api.create('events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    });
    expect((await remove('events', 'e', { propagationPolicy: 'Foreground' })).gone).toBe(true);
  });

  it.each([
    ['uid', { uid: 'other' }],
    ['version', { resourceVersion: '999' }],
  ])('is a 409 for another %s', async (_what, options) => {
    await api.create('configmaps', { metadata: { name: 'a' } });
    const status = await refusal(remove('configmaps', 'a', options));
    expect(status).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(status.message).toContain('in the precondition');
    expect(api.stored('configmaps', 'a')).toBeDefined();
  });

  it('goes ahead when its preconditions hold', async () => {
    const { metadata } = await api.create('configmaps', { metadata: { name: 'a' } });
    const { uid = '', resourceVersion = '' } = metadata ?? {};
    expect((await remove('configmaps', 'a', { uid, resourceVersion })).gone).toBe(true);
  });

  it('judges preconditions by what is there, not by what memory has', async () => {
    const { metadata } = await api.create('configmaps', { metadata: { name: 'a' } });
    api.store.beforeWrite = (op) => {
      api.store.beforeWrite = undefined;
      const row = api.store.rows(op.type)[0];
      if (!row) return undefined;
      const changed = Buffer.from(row.body.toString().replace('"name"', '"labels":{"a":"b"},"name"'));
      return api.store
        .write({ ...row, op: 'update', type: op.type, body: changed, terminating: false })
        .then(() => undefined);
    };
    const resourceVersion = metadata?.resourceVersion ?? '';
    expect(await refusal(remove('configmaps', 'a', { resourceVersion }))).toMatchObject({ code: 409 });
    expect((await remove('configmaps', 'a')).gone).toBe(true);
  });

  it.each([false, true])(
    'does not believe memory that an object still is on its way out (dry run: %s)',
    async (dryRun) => {
      await api.create('configmaps', { metadata: { name: 'a', finalizers: ['example.com/x'] } });
      const { type, description } = api.endpoint('configmaps');
      await api.deps.cache.type(type, description).waitReady();
      await remove('configmaps', 'a');
      await api.deps.cache.type(type, description).confirm();
      const row = api.store.rows(type)[0] ?? expect.unreachable();
      // Another server has let it go, and memory has not heard of it.
      api.store.muted = true;
      await api.store.write({ ...row, op: 'delete', type });
      expect(await refusal(remove('configmaps', 'a', { dryRun }))).toMatchObject({ code: 404 });
    },
  );

  it.each([{}, { finalizers: ['example.com/x'] }])('that is a dry run persists nothing (%j)', async (metadata) => {
    await api.create('configmaps', { metadata: { name: 'a', ...metadata } });
    const writes = api.store.writes.length;
    await remove('configmaps', 'a', { dryRun: true });
    expect(api.store.writes.length).toBe(writes);
    expect(metaOf('configmaps', 'a')).not.toHaveProperty('deletionTimestamp');
  });

  it('marks also what is as large as objects may be', async () => {
    api.close();
    api = await testApi({ maxValues: 1_000, maxBodyBytes: 1 << 20 });
    const large = (length: number): ApiObject => ({
      metadata: { name: 'a', finalizers: ['example.com/x'], labels: { text: 'x' } },
      data: Object.fromEntries(Array.from({ length }, (_, i) => [`key-${i}`, 'value'])),
    });
    let most = 1_000;
    while (
      await api.create('configmaps', large(most)).then(
        () => false,
        () => true,
      )
    )
      most--;
    expect((await remove('configmaps', 'a')).gone).toBe(false);
    expect(metaOf('configmaps', 'a')).toHaveProperty('deletionTimestamp');
  });

  it('lets those who wrote first have it, and then has it its way', async () => {
    await api.create('configmaps', { metadata: { name: 'a' } });
    let times = 3;
    api.store.beforeWrite = (op) =>
      times-- > 0 && op.op === 'delete' ? { outcome: 'conflict', version: 99n } : undefined;
    expect((await remove('configmaps', 'a')).gone).toBe(true);
    expect(times).toBe(-1);
  });
});

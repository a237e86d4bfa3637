import { toStatusError } from '@orch/resources';
import type { Key } from '@orch/storage';
import { leavingOut, MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KnownObjectsSource, type PluginObjects, ProcessObjects } from './known-objects.js';

const LIMITS = { group: '', resource: 'limitranges' };

let api: TestApi;
let objects: ProcessObjects;
let plugin: PluginObjects;
beforeEach(async () => {
  api = await testApi({}, 'orch', new MemoryStore());
  objects = new ProcessObjects();
  plugin = objects.forPlugin();
});
afterEach(() => {
  objects.stop();
  api.close();
});

type Listener = Parameters<MemoryStore['onCommit']>[0];

const start = (store: Partial<KnownObjectsSource['store']> = {}) => {
  const { deps, feed } = api;
  const onError = (error: unknown) => {
    throw error;
  };
  const whole: KnownObjectsSource['store'] = {
    snapshot: (request) => api.store.snapshot(request),
    get: (type, key) => api.store.get(type, key),
    onCommit: (listener) => api.store.onCommit(listener),
    onRewind: () => () => undefined,
    ...store,
  };
  return objects.start({ deps, store: whole, feed, onError });
};
const later = (ms: number) => performance.now() + ms;
const range = (name: string, namespace = 'default') =>
  api.create('limitranges', { metadata: { name }, spec: { limits: [] } }, namespace);
const namesOf = (all: Iterable<{ metadata?: { name?: string } }>) =>
  [...all].map(({ metadata }) => metadata?.name).sort();

describe('what plugins follow', () => {
  it('is known from the start', async () => {
    await api.create('namespaces', { metadata: { name: 'other' } });
    await range('a');
    await range('b', 'other');
    const ranges = plugin.objects.follow(LIMITS);
    expect(namesOf(ranges.all())).toEqual([]);
    await start();
    expect(namesOf(ranges.all())).toEqual(['a', 'b']);
    expect(namesOf(ranges.in('other'))).toEqual(['b']);
    expect(namesOf(ranges.in('nowhere'))).toEqual([]);
    expect(ranges.get('default', 'a')).toMatchObject({ apiVersion: 'v1', kind: 'LimitRange' });
    expect(ranges.get('other', 'a')).toBeUndefined();
  });

  it('is known anew when it changes, once this process has acknowledged that', async () => {
    const ranges = plugin.objects.follow(LIMITS);
    let changes = 0;
    ranges.onChange(() => changes++);
    await start();
    await range('a');
    await plugin.caughtUp(later(60_000));
    expect(ranges.isBehind).toBe(false);
    expect(namesOf(ranges.in('default'))).toEqual(['a']);
    const { deps } = api;
    const key = { namespace: 'default', name: 'a' };
    await deps.remover.remove(
      api.endpoint('limitranges'),
      key,
      { dryRun: false },
      api.request('DELETE', 'limitranges', 'a').caller,
    );
    await plugin.caughtUp(later(60_000));
    expect(namesOf(ranges.all())).toEqual([]);
    expect(changes).toBeGreaterThan(1);
  });

  it('costs no wait where nothing was written', async () => {
    plugin.objects.follow(LIMITS);
    await start();
    expect(plugin.caughtUp(later(60_000))).toBeUndefined();
    await api.create('configmaps', { metadata: { name: 'c' } });
    expect(plugin.caughtUp(later(60_000))).toBeUndefined();
  });

  it('is waited for as long as the request may take', async () => {
    const ranges = plugin.objects.follow(LIMITS);
    let tell: Listener = () => undefined;
    await start({
      onCommit(listener) {
        tell = listener;
        return () => undefined;
      },
    });
    await range('a');
    const [row] = api.store.rows(api.endpoint('limitranges').type);
    if (!row) throw new Error('nothing is there');
    const acknowledged = { ...row, version: row.version + 1n, previous: row.version, op: 'update', at: 0 } as const;
    tell([{ ...acknowledged, type: api.endpoint('limitranges').type }]);
    expect(ranges.isBehind).toBe(true);
    await expect(plugin.caughtUp(later(1))).rejects.toMatchObject({ code: 504, message: 'the request timed out' });
  });

  it('is not waited for where the database has lost it', async () => {
    plugin.objects.follow(LIMITS);
    let tell: Listener = () => undefined;
    const listeners: (() => void)[] = [];
    await start({
      onCommit(listener) {
        tell = listener;
        return () => undefined;
      },
      onRewind(listener) {
        listeners.push(listener);
        return () => undefined;
      },
    });
    const { type } = api.endpoint('limitranges');
    const lost = { type, namespace: 'default', name: 'a', uid: 'u', version: 1n << 60n, previous: 0n } as const;
    tell([{ ...lost, op: 'create', storedVersion: '', defaults: 0, body: Buffer.alloc(0), at: 0 }]);
    const waiting = plugin.caughtUp(later(50));
    expect(waiting).toBeDefined();
    for (const listener of listeners) listener();
    expect(plugin.caughtUp(later(60_000))).toBeUndefined();
    // Nothing more is heard of: whoever waits already does so to the end.
    await expect(waiting).rejects.toMatchObject({ code: 504 });
  });

  it('says where it is not all that there is', async () => {
    for (const namespace of ['one', 'two']) await api.create('namespaces', { metadata: { name: namespace } });
    await range('a', 'one');
    await range('b', 'one');
    await range('a', 'two');
    const [ranges, namespaces] = [LIMITS, { group: '', resource: 'namespaces' }].map(plugin.objects.follow);
    const isUnreadable = ({ namespace, name }: Key) => name === 'two' || (namespace === 'one' && name === 'b');
    const reported: unknown[] = [];
    const { deps, feed, store } = api;
    const whole = {
      ...leavingOut(store, isUnreadable),
      onCommit: store.onCommit.bind(store),
      onRewind: () => () => undefined,
    };
    await objects.start({ deps, store: whole, feed, onError: (error) => void reported.push(error) });
    expect(namesOf(ranges?.all() ?? [])).toEqual(['a', 'a']);
    expect(reported).toHaveLength(2);
    // What it is called is for the log, and not for whoever writes there.
    expect(ranges?.unreadable('one')?.message).toContain('"one/b"');
    expect(toStatusError(ranges?.unreadable('one')).message).toBe(
      'Internal error occurred: unable to read things: no key',
    );
    expect(ranges?.unreadable('two')).toBeUndefined();
    // It may be about whatever lies anywhere.
    expect(namespaces?.unreadable('one')?.message).toContain('"two"');
  });

  it('is followed once, and from the start', async () => {
    const other = objects.forPlugin();
    const [own, theirs] = [plugin.objects.follow(LIMITS), other.objects.follow(LIMITS)];
    expect(own).toBe(theirs);
    await start();
    expect(() => plugin.objects.follow(LIMITS)).toThrow('limitranges are to be followed from the start');
  });
});

describe('what plugins read and make', () => {
  it('is read as it is now, page by page', async () => {
    await range('a');
    await range('b');
    await start();
    expect(await plugin.objects.read(LIMITS, 'default', 'a')).toMatchObject({ metadata: { name: 'a' } });
    expect(await plugin.objects.read(LIMITS, 'default', 'c')).toBeUndefined();
    const listed: unknown[] = [];
    for await (const page of plugin.objects.list(LIMITS, 'default')) listed.push(...namesOf(page));
    expect(listed).toEqual(['a', 'b']);
  });

  it('is made where it is not there', async () => {
    await start();
    const accounts = { group: '', resource: 'serviceaccounts' };
    const account = { metadata: { namespace: 'default', name: 'default' } };
    const made = await objects.ownWrites.create(accounts, account, Number.POSITIVE_INFINITY);
    expect(made).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'default' } });
    const again = await objects.ownWrites.create(accounts, account, Number.POSITIVE_INFINITY);
    expect(again.metadata?.uid).toBe(made.metadata?.uid);
  });

  it('is not before the start', async () => {
    await expect(plugin.objects.read(LIMITS, 'default', 'a')).rejects.toThrow('nothing can be read');
  });
});

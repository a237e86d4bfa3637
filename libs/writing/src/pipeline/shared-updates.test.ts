import { type ApiObject, StatusError } from '@orch/machinery';
import { StoreUnavailableError } from '@orch/storage';
import { type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from './caller.js';
import type { UpdateFunction, Written } from './write-request.js';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.create('configmaps', { metadata: { name: 'hot' }, data: {} });
  api.store.writes.length = 0;
});
afterEach(() => api.close());

const update = (change: UpdateFunction, resource = 'configmaps', name = 'hot'): Promise<Written> =>
  api.deps.pipeline.write(api.request('UPDATE', resource, name), { change });
const set =
  (field: string, value = 'x'): UpdateFunction =>
  (current) => ({ ...current, data: { ...(current.data as object), [field]: value } });
const dataOf = ({ stored }: Written) => (JSON.parse(stored.body.toString()) as { data: object }).data;
const refused = (code: number) => (error: unknown) => {
  expect(error).toBeInstanceOf(StatusError);
  expect((error as StatusError).code).toBe(code);
};
const stored = () => api.stored('configmaps', 'hot') as ApiObject & { data: object };

describe('updates of one object at a time', () => {
  it('are all applied, each upon those before it, with a version of its own', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => update(set(`f${i}`))));
    expect(Object.keys(stored().data)).toHaveLength(200);
    expect(new Set(answers.map(({ stored }) => stored.version)).size).toBe(200);
    for (const [i, answer] of answers.entries()) expect(Object.keys(dataOf(answer))).toHaveLength(i + 1);
    // None was written in vain.
    expect(api.store.writes).toHaveLength(200);
  });

  it('are judged each on its own', async () => {
    const [a, bad, same, named, b] = await Promise.allSettled([
      update(set('a')),
      update((current) => ({ ...current, metadata: { ...current.metadata, labels: { 'no good': '' } } })),
      update(set('a')),
      update((current) => ({ ...current, metadata: { ...current.metadata, resourceVersion: '1' } })),
      update(set('b')),
    ]);
    expect([a, same, b].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(bad.status === 'rejected' && bad.reason).toMatchObject({ code: 422 });
    expect(named.status === 'rejected' && named.reason).toMatchObject({ code: 409 });
    if (a.status !== 'fulfilled' || same.status !== 'fulfilled') return;
    // The one that changed nothing answers what the one before it had written.
    expect(same.value.stored.version).toBe(a.value.stored.version);
    expect(stored().data).toEqual({ a: 'x', b: 'x' });
  });

  it('start over on what is there when another server was faster', async () => {
    let overtaken = 0;
    api.store.beforeWrite = async (op) => {
      if (op.op !== 'update' || overtaken++ > 0) return undefined;
      const hook = api.store.beforeWrite;
      api.store.beforeWrite = undefined;
      const [row] = api.store.rows(op.type).filter(({ name }) => name === 'hot');
      const body = Buffer.from(row?.body.toString().replace('"data":{}', '"data":{"theirs":"x"}') ?? '');
      await api.store.write({ ...op, version: row?.version ?? 0n, body });
      api.store.beforeWrite = hook;
      return undefined;
    };
    await Promise.all([update(set('a')), update(set('b')), update(set('c'))]);
    expect(stored().data).toEqual({ theirs: 'x', a: 'x', b: 'x', c: 'x' });
  });

  it('behind the one that removed the object find none', async () => {
    await update((current) => ({ ...current, metadata: { ...current.metadata, finalizers: ['example.com/x'] } }));
    const { endpoint, key, caller } = api.request('DELETE', 'configmaps', 'hot');
    await api.deps.remover.remove(endpoint, key, { dryRun: false }, caller);
    const unhold: UpdateFunction = (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } });
    const [first, removed, late] = await Promise.allSettled([update(set('a')), update(unhold), update(set('b'))]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { removed: false } });
    expect(removed).toMatchObject({ status: 'fulfilled', value: { removed: true } });
    expect(late.status === 'rejected' && late.reason).toMatchObject({ code: 404 });
  });

  it('fail together when the database does, and those behind them go on', async () => {
    let failures = 1;
    api.store.beforeWrite = () => {
      if (failures-- > 0) throw new StoreUnavailableError('gone', true);
      return undefined;
    };
    const first = await Promise.allSettled([update(set('a')), update(set('b'))]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await update(set('c'));
    expect(stored().data).toEqual({ c: 'x' });
  });

  it('fail alone where only one of them cannot be stored', async () => {
    api.store.beforeWrite = ({ body }) => {
      if (body.includes('"bad"')) throw new TypeError('what cannot be stored');
      return undefined;
    };
    const all = await Promise.allSettled([update(set('a')), update(set('bad')), update(set('b'))]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored().data).toEqual({ a: 'x', b: 'x' });
  });

  it('of other objects do not wait for it', async () => {
    await api.create('configmaps', { metadata: { name: 'cold' }, data: {} });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = update(async (current) => {
      await held;
      return current;
    });
    await update(set('a'), 'configmaps', 'cold');
    release();
    await slow;
  });

  it('that waited too long are refused, and not applied', async () => {
    api.close();
    api = await testApi({ requestTimeoutMs: 500 });
    await api.create('configmaps', { metadata: { name: 'hot' }, data: {} });
    let until = Number.POSITIVE_INFINITY;
    const slow = update(async (current, ...rest) => {
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
      return set('slow')(current, ...rest);
    });
    // One that comes when the first is under way already.
    await Promise.resolve();
    const late = update(set('late')).catch((error: unknown) => refused(504)(error));
    until = performance.now() + 600;
    await expect(late).resolves.toBeUndefined();
    await slow;
    expect(stored().data).toEqual({ slow: 'x' });
  });

  it('are not made for a client that has given up, nor for a controller that another process runs, while they waited for their turn', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = update(async (current, ...rest) => {
      await held;
      return set('slow')(current, ...rest);
    });
    const began = performance.now();
    let isOver = false;
    const by = (field: string, how: Partial<Caller>) => {
      const request = api.request('UPDATE', 'configmaps', 'hot');
      const caller = { ...request.caller, ...how };
      return api.deps.pipeline.write({ ...request, caller }, { change: set(field) });
    };
    const waiting = Promise.allSettled([
      update(set('a')),
      by('gone', { deadline: began + 5 }),
      by('over', { isOver: () => isOver }),
      update(set('b')),
    ]);
    while (performance.now() < began + 5) await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    release();
    await slow;
    const done = await waiting;
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(done[1]).toMatchObject({ reason: { code: 504 } });
    expect(done[2]).toMatchObject({ reason: { code: 503 } });
    expect(stored().data).toEqual({ slow: 'x', a: 'x', b: 'x' });
  });

  it('are not made once that is so as others of them are planned', async () => {
    let isOver = false;
    const request = api.request('UPDATE', 'configmaps', 'hot');
    const caller = { ...request.caller, isOver: () => isOver };
    const first = update(set('first'));
    const own = api.deps.pipeline.write({ ...request, caller }, { change: set('over') });
    const last = update(async (current, ...rest) => {
      isOver = true;
      return set('last')(current, ...rest);
    });
    const done = await Promise.allSettled([first, own, last]);
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored().data).toEqual({ first: 'x', last: 'x' });
  });

  it('are refused each on its own where they exceed a quota together', async () => {
    api.store.beforeWrite = (op) =>
      op.body.includes('much')
        ? { outcome: 'exceeded', exceeded: [{ account: 'q', amount: 'configmaps', used: '1', limit: '1' }] }
        : undefined;
    const done = await Promise.allSettled(['a', 'much', 'b'].map((field) => update(set(field))));
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(done[1]).toMatchObject({ reason: { code: 403 } });
    expect(stored().data).toEqual({ a: 'x', b: 'x' });
  });

  it('are planned anew where quotas have changed meanwhile', async () => {
    let changed = 0;
    api.store.beforeWrite = () => (changed++ < 2 ? { outcome: 'accounts-changed' } : undefined);
    const planned: string[] = [];
    const noting =
      (field: string): UpdateFunction =>
      (current, ...rest) => {
        planned.push(field);
        return set(field)(current, ...rest);
      };
    await Promise.all(['a', 'b', 'c'].map((field) => update(noting(field))));
    expect(stored().data).toEqual({ a: 'x', b: 'x', c: 'x' });
    expect(planned.filter((field) => field === 'c').length).toBeGreaterThan(1);
  });

  describe('with claimed addresses', () => {
    const ADDRESS = '10.96.0.77';
    const spec =
      (change: object): UpdateFunction =>
      async (current) => ({ ...current, spec: { ...(current.spec as object), ...change } });
    const drop: UpdateFunction = async (current) => {
      const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...rest } = current.spec as Record<string, unknown>;
      return { ...current, spec: { ...rest, type: 'ExternalName', externalName: 'x.example.com', ports: [] } };
    };
    const take = spec({ type: 'ClusterIP', clusterIP: ADDRESS, clusterIPs: [ADDRESS], ports: [{ port: 80 }] });
    const label: UpdateFunction = async (current) => ({
      ...current,
      metadata: { ...current.metadata, labels: { ...current.metadata?.labels, a: 'b' } },
    });
    const other = () =>
      api.create('services', { metadata: { name: 'other' }, spec: { clusterIP: ADDRESS, ports: [{ port: 80 }] } });
    const together = (...changes: UpdateFunction[]) =>
      Promise.allSettled(changes.map((change) => update(change, 'services', 'svc')));

    beforeEach(() =>
      api.create('services', { metadata: { name: 'svc' }, spec: { clusterIP: ADDRESS, ports: [{ port: 80 }] } }),
    );

    it('keep one that is dropped and taken again', async () => {
      const done = await together(label, drop, take);
      expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
      await expect(other()).rejects.toMatchObject({ code: 422 });
    });

    it('keep one that is still held when what was to drop it and take it again fails', async () => {
      let failures = 1;
      api.store.beforeWrite = (op) => {
        const fails = op.type === api.endpoint('services').type && op.op === 'update' && failures-- > 0;
        if (fails) throw new StoreUnavailableError('gone', false);
        return undefined;
      };
      await together(label, drop, take);
      api.store.beforeWrite = undefined;
      expect(api.stored('services', 'svc')).toMatchObject({ spec: { clusterIP: ADDRESS } });
      await expect(other()).rejects.toMatchObject({ code: 422 });
    });

    it('keep one that is still held when what was to take it again is refused', async () => {
      const wrong: UpdateFunction = async (current, ...rest) => {
        const changed = await take(current, ...rest);
        return {
          ...changed,
          spec: { ...(changed.spec as object), type: 'NodePort', ports: [{ port: 80, nodePort: 9 }] },
        };
      };
      let failures = 1;
      api.store.beforeWrite = (op) => {
        const fails = op.type === api.endpoint('services').type && op.op === 'update' && failures-- > 0;
        if (fails) throw new StoreUnavailableError('gone', false);
        return undefined;
      };
      await together(label, drop, wrong);
      api.store.beforeWrite = undefined;
      expect(api.stored('services', 'svc')).toMatchObject({ spec: { clusterIP: ADDRESS } });
      await expect(other()).rejects.toMatchObject({ code: 422 });
    });

    it('say of each whether it was written, when the database fails in between', async () => {
      let writes = 0;
      api.store.beforeWrite = (op) => {
        const fails = op.type === api.endpoint('services').type && op.op === 'update' && ++writes > 2;
        if (fails) throw new StoreUnavailableError('gone', false);
        return undefined;
      };
      const done = await together(label, drop, take);
      expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    });

    it('free one that is dropped', async () => {
      await together(label, drop, label);
      await expect(other()).resolves.toBeDefined();
    });
  });
});

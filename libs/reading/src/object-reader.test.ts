import { HistoryExpiredError } from '@orch/storage';
import { heldUp, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.create('configmaps', { metadata: { name: 'a' } });
});
afterEach(() => api.close());

const KEY = { namespace: 'default', name: 'a' };
const type = () => api.endpoint('configmaps').type;

describe('ObjectReader (spec: "Resource version semantics", Get)', () => {
  it('asks the database for a type that is not in memory', async () => {
    const found = await api.deps.reader.get(type(), KEY, { want: 'any' });
    expect(found?.version).toBe(api.store.rows(type())[0]?.version);
    expect(api.store.calls.get).toBe(1);
    expect(api.deps.reader.hint(type(), KEY)).toBeUndefined();
  });

  it('answers from memory what is as fresh as asked for', async () => {
    const cache = api.deps.cache.type(type(), api.endpoint('configmaps').description);
    await cache.waitReady();
    await api.deps.reader.get(type(), KEY, { want: 'any' });
    await api.deps.reader.get(type(), KEY, { want: 'recent' });
    expect(api.store.calls.get).toBe(0);
    expect(api.deps.reader.hint(type(), KEY)).toBeDefined();
  });

  it('confirms with the database what must be recent', async () => {
    const cache = api.deps.cache.type(type(), api.endpoint('configmaps').description);
    await cache.waitReady();
    api.store.down = true;
    await expect(api.deps.reader.get(type(), KEY, { want: 'recent' })).rejects.toThrow();
    expect(await api.deps.reader.get(type(), KEY, { want: 'any' })).toBeDefined();
  });

  it('asks the database where memory is held up by another object whose key is not to be had', async () => {
    const cache = api.deps.cache.type(type(), api.endpoint('configmaps').description);
    await cache.waitReady();
    vi.spyOn(cache, 'confirm').mockRejectedValue(heldUp());
    expect(await api.deps.reader.get(type(), KEY, { want: 'recent' })).toBeDefined();
    expect(api.store.calls.get).toBe(1);
  });

  it('reads on where the state is unloaded meanwhile', async () => {
    await api.deps.cache.type(type(), api.endpoint('configmaps').description).waitReady();
    const reading = api.deps.reader.get(type(), KEY, { want: 'recent' });
    api.deps.cache.unload(type());
    expect(await reading).toBeDefined();
  });

  it('gives nothing for what is not there', async () => {
    expect(await api.deps.reader.get(type(), { ...KEY, name: 'b' }, { want: 'recent' })).toBeUndefined();
  });

  it('takes the settled head for a version that another type has drawn', async () => {
    await api.create('namespaces', { metadata: { name: 'later' } });
    const than = await api.store.lastVersion();
    expect(await api.deps.reader.get(type(), KEY, { want: 'not-older', than })).toBeDefined();
    expect(api.store.calls.settledHead).toBeGreaterThan(0);
  });

  it('refuses a version that was lost with another database, whatever memory has reached', async () => {
    const than = await api.store.lastVersion();
    api.store.isLost = (_type, version) => version === than;
    for (const load of [false, true]) {
      if (load) await api.deps.cache.type(type(), api.endpoint('configmaps').description).waitReady();
      const reading = api.deps.reader.get(type(), KEY, { want: 'not-older', than });
      await expect(reading).rejects.toBeInstanceOf(HistoryExpiredError);
      await expect(api.deps.reader.reach(type(), than)).rejects.toBeInstanceOf(HistoryExpiredError);
    }
  });

  it('gives up on the future', async () => {
    const reading = api.deps.reader.get(type(), KEY, { want: 'not-older', than: 10_000n });
    await expect(reading).rejects.toMatchObject({ status: { code: 504 } });
  });
});

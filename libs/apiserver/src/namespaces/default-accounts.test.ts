import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessObjects } from '../admission/known-objects.js';
import { MemoryStore } from '../testing/memory-store.js';
import { type TestApi, testApi } from '../testing/test-api.js';
import { DefaultAccounts } from './default-accounts.js';

let api: TestApi;
let objects: ProcessObjects;
let clock: ManualClock;
let isFree: boolean;
let errors: unknown[];
let accounts: DefaultAccounts;
beforeEach(async () => {
  api = await testApi({}, 'orch', new MemoryStore());
  clock = new ManualClock();
  objects = new ProcessObjects();
  isFree = true;
  errors = [];
  const { objects: known } = objects.forPlugin();
  const { deps, store, feed } = api;
  accounts = new DefaultAccounts({
    ...{ reader: deps.reader, pipeline: deps.pipeline, clock, endpoint: api.endpoint('serviceaccounts') },
    namespaces: known.follow({ group: '', resource: 'namespaces' }),
    accounts: known.follow({ group: '', resource: 'serviceaccounts' }),
    store: { lease: () => ({ take: async () => isFree, giveBack: async () => undefined }) },
    onError: (error) => void errors.push(error),
  });
  const source = {
    snapshot: store.snapshot.bind(store),
    onCommit: store.onCommit.bind(store),
    onRewind: () => () => undefined,
  };
  await objects.start({ deps, store: source, feed, onError: (error) => void errors.push(error) });
});
afterEach(async () => {
  await accounts.stop();
  objects.stop();
  api.close();
  expect(errors).toEqual([]);
});

const accountIn = (namespace: string) => api.stored('serviceaccounts', 'default', namespace);
/** Goes on until something is so. */
const until = async (isSo: () => boolean) => {
  const goesOn = async () => {
    await clock.advance(100);
    return isSo();
  };
  await expect.poll(goesOn, { timeout: 30_000, interval: 1 }).toBe(true);
};

describe('the account of pods that name none', () => {
  it('is in namespaces that are there, and that come', async () => {
    accounts.start();
    await until(() => accountIn('default') !== undefined);
    await api.create('namespaces', { metadata: { name: 'new' } });
    await until(() => accountIn('new') !== undefined);
  });

  it('comes again where it is deleted', async () => {
    accounts.start();
    await until(() => accountIn('default') !== undefined);
    const before = accountIn('default')?.metadata?.uid;
    const { caller } = api.request('DELETE', 'serviceaccounts', 'default');
    await api.deps.remover.remove(
      api.endpoint('serviceaccounts'),
      { namespace: 'default', name: 'default' },
      { dryRun: false },
      caller,
    );
    await until(() => ![before, undefined].includes(accountIn('default')?.metadata?.uid));
  });

  it('does not come into a namespace that is going', async () => {
    await api.create('namespaces', { metadata: { name: 'a-going' } });
    const { caller } = api.request('DELETE', 'namespaces', 'a-going');
    await api.deps.remover.remove(
      api.endpoint('namespaces'),
      { namespace: '', name: 'a-going' },
      { dryRun: false },
      caller,
    );
    accounts.start();
    await until(() => accountIn('default') !== undefined);
    expect(accountIn('a-going')).toBeUndefined();
  });

  it('is made by one process', async () => {
    isFree = false;
    accounts.start();
    await clock.advance(20_000);
    expect(accountIn('default')).toBeUndefined();
    isFree = true;
    await until(() => accountIn('default') !== undefined);
  });
});

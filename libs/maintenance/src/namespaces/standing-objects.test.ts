import { ProcessObjects } from '@orch/admission-host';
import { ManualClock } from '@orch/runtime/testing';
import { MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StandingObjects } from './standing-objects.js';

let api: TestApi;
let objects: ProcessObjects;
let clock: ManualClock;
let isFree: boolean;
let errors: unknown[];
let standing: StandingObjects;
beforeEach(async () => {
  api = await testApi({}, 'orch', new MemoryStore());
  clock = new ManualClock();
  objects = new ProcessObjects();
  isFree = true;
  errors = [];
  const { objects: known } = objects.forPlugin();
  const { deps, store, feed } = api;
  standing = new StandingObjects({
    ...{ pipeline: deps.pipeline, clock },
    namespaces: known.follow({ group: '', resource: 'namespaces' }),
    objects: [
      {
        endpoint: api.endpoint('serviceaccounts'),
        name: 'default',
        content: {},
        followed: known.follow({ group: '', resource: 'serviceaccounts' }),
      },
      {
        endpoint: api.endpoint('configmaps'),
        name: 'ca',
        content: { data: { 'ca.crt': 'text' } },
        followed: known.follow({ group: '', resource: 'configmaps' }),
      },
    ],
    store: { lease: () => ({ take: async () => isFree, giveBack: async () => undefined }) },
    onError: (error) => void errors.push(error),
  });
  const source = {
    snapshot: store.snapshot.bind(store),
    get: store.get.bind(store),
    onCommit: store.onCommit.bind(store),
    onRewind: () => () => undefined,
  };
  await objects.start({ deps, store: source, feed, onError: (error) => void errors.push(error) });
});
afterEach(async () => {
  await standing.stop();
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
    standing.start();
    await until(() => accountIn('default') !== undefined);
    await api.create('namespaces', { metadata: { name: 'new' } });
    await until(() => accountIn('new') !== undefined);
  });

  it('comes again where it is deleted', async () => {
    standing.start();
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
    standing.start();
    await until(() => accountIn('default') !== undefined);
    expect(accountIn('a-going')).toBeUndefined();
  });

  it('is made by one process', async () => {
    isFree = false;
    standing.start();
    await clock.advance(20_000);
    expect(accountIn('default')).toBeUndefined();
    isFree = true;
    await until(() => accountIn('default') !== undefined);
  });
});

describe('an object that says something', () => {
  const data = () => api.stored('configmaps', 'ca')?.data;

  it('says it again where it was changed, and keeps what else it has', async () => {
    await api.create('configmaps', { metadata: { name: 'ca', labels: { mine: 'yes' } }, data: { other: 'x' } });
    standing.start();
    await until(() => (data() as Record<string, string>)['ca.crt'] === 'text');
    expect(data()).toEqual({ 'ca.crt': 'text' });
    expect(api.stored('configmaps', 'ca')?.metadata?.labels).toEqual({ mine: 'yes' });
  });

  it('is not written again where it is right', async () => {
    standing.start();
    await until(() => data() !== undefined);
    const before = api.store.writes.length;
    await api.create('namespaces', { metadata: { name: 'new' } });
    await until(() => api.stored('configmaps', 'ca', 'new') !== undefined);
    const written = api.store.writes.slice(before).filter(({ namespace }) => namespace === 'default');
    expect(written).toEqual([]);
  });
});

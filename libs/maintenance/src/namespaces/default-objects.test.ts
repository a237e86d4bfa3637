import { StatusError } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import {
  controllerHost,
  followedOn,
  type RunningControllers,
  runControllers,
  type TestApi,
  testApi,
} from '@orch/testing';
import { ControllerClient } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultObjects } from './default-objects.js';

let api: TestApi;
let clock: ManualClock;
let isFree: boolean;
let refusal: StatusError | undefined;
let errors: unknown[];
let running: RunningControllers | undefined;
let start: () => Promise<void>;
beforeEach(async () => {
  api = await testApi({}, 'orch');
  clock = new ManualClock();
  isFree = true;
  errors = [];
  running = undefined;
  const followed = followedOn(api);
  const namespaces = followed.follow('namespaces');
  const own = new ControllerClient(controllerHost(api), 'service-account-controller');
  refusal = undefined;
  const client: Pick<ControllerClient, 'create' | 'update'> = {
    create: async (...given) => {
      if (refusal) throw refusal;
      return own.create(...given);
    },
    update: (...given) => own.update(...given),
  };
  const controllers = [
    { resource: 'serviceaccounts', name: 'default', content: {} },
    { resource: 'configmaps', name: 'ca', content: { data: { 'ca.crt': 'text' } } },
  ].map(({ resource, name, content }) =>
    defaultObjects({
      ...{ name: resource, namespaces: namespaces.informer, client },
      object: { endpoint: api.endpoint(resource), name, content, informer: followed.follow(resource).informer },
    }),
  );
  start = async () => {
    const onError = (error: unknown) => void errors.push(error);
    running = await runControllers({ ...followed, controllers }, { onError, clock, isFree: () => isFree });
  };
});
afterEach(async () => {
  await running?.stop();
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
    await start();
    await until(() => accountIn('default') !== undefined);
    await api.create('namespaces', { metadata: { name: 'new' } });
    await until(() => accountIn('new') !== undefined);
  });

  it('comes again where it is deleted', async () => {
    await start();
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
    await start();
    await until(() => accountIn('default') !== undefined);
    expect(accountIn('a-going')).toBeUndefined();
  });

  it('is made by one process', async () => {
    isFree = false;
    await start();
    await clock.advance(20_000);
    expect(accountIn('default')).toBeUndefined();
    isFree = true;
    await until(() => accountIn('default') !== undefined);
  });
});

it.each([
  ['NotFound', 'as by a webhook that has not what it looks for'],
  ['AlreadyExists', 'as where memory lacks the object'],
] as const)('what is refused with %s is tried again (%s)', async (reason, _why) => {
  refusal = new StatusError(reason, 'refused');
  await start();
  await clock.advance(1_000);
  expect(accountIn('default')).toBeUndefined();
  refusal = undefined;
  await until(() => accountIn('default') !== undefined);
});

describe('an object that says something', () => {
  const data = () => api.stored('configmaps', 'ca')?.data;

  it('says it again where it was changed, and keeps what else it has', async () => {
    await api.create('configmaps', { metadata: { name: 'ca', labels: { mine: 'yes' } }, data: { other: 'x' } });
    await start();
    await until(() => (data() as Record<string, string>)['ca.crt'] === 'text');
    expect(data()).toEqual({ 'ca.crt': 'text' });
    expect(api.stored('configmaps', 'ca')?.metadata?.labels).toEqual({ mine: 'yes' });
  });

  it('is not written again where it is right', async () => {
    await start();
    await until(() => data() !== undefined);
    const before = api.store.writes.length;
    await api.create('namespaces', { metadata: { name: 'new' } });
    await until(() => api.stored('configmaps', 'ca', 'new') !== undefined);
    const written = api.store.writes.slice(before).filter(({ namespace }) => namespace === 'default');
    expect(written).toEqual([]);
  });
});

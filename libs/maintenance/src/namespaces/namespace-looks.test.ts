import type { ApiObject } from '@orch/machinery';
import { ManualClock, ManualInformer } from '@orch/runtime/testing';
import { controllerHost, runControllers, type TestApi, testApi } from '@orch/testing';
import { ControllerClient } from '@orch/writing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NamespaceContents } from './namespace-contents.js';
import { namespaceController } from './namespace-controller.js';

let api: TestApi;
let clock: ManualClock;
let known: ManualInformer<ApiObject>;
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  api = await testApi();
  clock = new ManualClock();
  known = new ManualInformer();
});
afterEach(async () => {
  await stop?.();
  api.close();
});

/** Runs the controller upon namespaces that are known as the test says, and emptied by it. */
async function run(empty: NamespaceContents['empty']) {
  const client = new ControllerClient(controllerHost(api), 'namespace-controller');
  const logged: unknown[] = [];
  const controller = namespaceController({
    ...{ names: api.deps.names, endpoint: api.endpoint('namespaces'), contents: { empty }, clock, now: api.deps.now },
    namespaces: known,
    current: async (name) => (name === 'going' ? api.stored('namespaces', name) : known.get(name)),
    client: {
      // What is written is heard of at once.
      async update(...given) {
        const written = await client.update(...given);
        learn('going');
        return written;
      },
    },
    onError: (error) => void logged.push(error),
  });
  stop = (await runControllers({ controllers: [controller] }, { clock })).stop;
  return { logged };
}

function learn(name: string): void {
  const stored = api.stored('namespaces', name);
  if (stored) known.put(name, stored);
  else known.remove(name);
}

async function deleted(name: string): Promise<void> {
  await api.create('namespaces', { metadata: { name, finalizers: ['example.com/keeps'] } });
  const client = new ControllerClient(controllerHost(api), 'test');
  await client.delete(api.endpoint('namespaces'), { namespace: '', name }, { dryRun: false });
}

it('what its status tells of failures, in ever other words, has it looked at no sooner', async () => {
  await deleted('going');
  learn('going');
  let looks = 0;
  const { logged } = await run(async () => {
    looks++;
    return [
      { endpoint: api.endpoint('configmaps'), objects: 0, finalizers: new Map(), failure: new Error(`${looks}`) },
    ];
  });
  await clock.advance(0);
  expect([looks, logged.length]).toEqual([1, 1]);
  await clock.advance(4_999);
  expect(looks).toBe(1);
  await clock.advance(1);
  expect(looks).toBe(2);
  await clock.advance(600_000);
  expect(looks).toBeLessThan(16);
  expect(logged).toHaveLength(looks);
});

it('many of which nothing can be deleted are looked at ten times a second, all together', async () => {
  await deleted('going');
  learn('going');
  const going = known.get('going');
  for (let at = 0; at < 1_000; at++)
    known.put(`n${at}`, { ...going, metadata: { ...going?.metadata, name: `n${at}` } });
  let looks = 0;
  await run(async () => {
    looks++;
    return [{ endpoint: api.endpoint('configmaps'), objects: 0, finalizers: new Map(), failure: new Error('no') }];
  });
  await clock.advance(0);
  const first = looks;
  await clock.advance(600_000);
  expect([first, looks - first < 6_200]).toEqual([1_001, true]);
});

it('a failure that its status tells already is logged once', async () => {
  await deleted('going');
  learn('going');
  let looks = 0;
  const { logged } = await run(async () => {
    looks++;
    return [{ endpoint: api.endpoint('configmaps'), objects: 0, finalizers: new Map(), failure: new Error('no') }];
  });
  await clock.advance(600_000);
  expect(looks).toBeGreaterThan(5);
  expect(logged).toHaveLength(1);
});

it('one that is made again under its name while it is emptied keeps what it holds, and its finalizer', async () => {
  await deleted('going');
  learn('going');
  let wasStopped: boolean | undefined;
  await run(async (_name, stopped) => {
    await replace();
    learn('going');
    wasStopped = stopped();
    return [];
  });
  await clock.advance(0);
  await expect.poll(() => wasStopped).toBe(true);
  await clock.settle();
  expect(api.stored('namespaces', 'going')?.spec).toEqual({ finalizers: [api.deps.names.product] });
});

it('is not finalized where memory has yet to hear that it is another', async () => {
  await deleted('going');
  learn('going');
  await run(async () => {
    await replace();
    return [];
  });
  await clock.advance(0);
  expect(api.stored('namespaces', 'going')?.spec).toEqual({ finalizers: [api.deps.names.product] });
});

it('is not emptied where memory has yet to hear that it is another', async () => {
  await deleted('going');
  learn('going');
  await replace();
  let looks = 0;
  await run(async () => {
    looks++;
    return [];
  });
  known.put('going', known.get('going') as ApiObject);
  await clock.advance(60_000);
  expect(looks).toBe(0);
});

/** Another controller lets it go, and a client makes one of its name. */
async function replace(): Promise<void> {
  const client = new ControllerClient(controllerHost(api), 'test');
  const [endpoint, key] = [api.endpoint('namespaces'), { namespace: '', name: 'going' }];
  await client.update({ endpoint, key, subresource: 'finalize' }, (current) => ({ ...current, spec: {} }));
  await client.update({ endpoint, key }, (current) => {
    const { finalizers: _, ...metadata } = current.metadata ?? {};
    return { ...current, metadata };
  });
  expect(api.stored('namespaces', 'going')).toBeUndefined();
  await api.create('namespaces', { metadata: { name: 'going' } });
}

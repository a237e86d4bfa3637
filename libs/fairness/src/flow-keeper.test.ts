import { type AdmissionPlugin, type Attributes, refusal } from '@orch/admission';
import type { ApiObject } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { leavingOut, MemoryStore, type RunSettings, runControllers, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlowConfiguration } from './flow-configuration.js';
import { FlowKeeper } from './flow-keeper.js';

const LEVELS = 'prioritylevelconfigurations';

/** Refuses what the test says. */
let isRefused: (target: Pick<Attributes, 'name'>) => boolean;
const refusing: AdmissionPlugin = {
  name: 'Refusing',
  handles: (target) => isRefused(target),
  validate(attributes) {
    throw refusal(attributes, 'it is not to be');
  },
};

let api: TestApi;
beforeEach(async () => {
  isRefused = () => false;
  api = await testApi({}, 'kubernetes', new MemoryStore(), {}, [refusing]);
});
afterEach(() => api.close());

/** A process that looks after the objects, and cannot read what has these names; and what failed, or could not be read. */
function processOf(...unreadable: string[]) {
  const reported: string[] = [];
  const onError = (error: unknown) => void reported.push((error as Error).message);
  const configuration = new FlowConfiguration({
    ...{ deps: api.deps, feed: api.feed, controller: { configure: () => undefined }, onError },
    store: leavingOut(api.store, ({ name }) => unreadable.includes(name)),
  });
  const keeper = new FlowKeeper({ deps: api.deps, configuration });
  const run = (settings: RunSettings = {}) => runControllers(keeper, { onError, ...settings });
  return { configuration, keeper, run, told: reported };
}

/** One look of a process at all of them, which cannot read what has these names. @returns what failed, or could not be read */
async function round(...unreadable: string[]): Promise<string[]> {
  const { configuration, keeper, told: reported } = processOf(...unreadable);
  await configuration.start();
  for (const { sources, reconcile } of keeper.controllers)
    for (const name of sources.flatMap((source) => [...source.keys()])) await reconcile(name, { goesOn: true });
  configuration.stop();
  return reported;
}

const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };
const level = (name: string): ApiObject => ({ metadata: { name }, spec: { type: 'Limited', limited } });
const schema = (name: string, of: string): ApiObject => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: of }, matchingPrecedence: 500 },
});
const unreadable = (name: string) => `unable to read things "${name}": no key`;

/** Whether a flow schema was told that its level is not there. */
function dangling(name: string): string | undefined {
  const { status } = (api.stored('flowschemas', name) ?? {}) as ApiObject;
  const { conditions } = (status ?? {}) as { conditions?: Record<string, string>[] };
  return conditions?.find(({ type }) => type === 'Dangling')?.status;
}

describe('a flow schema', () => {
  it('is not told that its level is not there while a level cannot be read', async () => {
    await api.create(LEVELS, level('own'));
    await api.create('flowschemas', schema('of-own', 'own'));
    await api.create('flowschemas', schema('of-none', 'none'));
    expect(await round('own')).toEqual([unreadable('own')]);
    expect([dangling('of-own'), dangling('of-none')]).toEqual([undefined, undefined]);
    expect(await round()).toEqual([]);
    expect([dangling('of-own'), dangling('of-none')]).toEqual(['False', 'True']);
  });
});

describe('the controllers of flow control', () => {
  const kept = (resource: string, name: string) => api.stored(resource, name);
  /** Lets so much time pass before each look. */
  const after = (clock: ManualClock, ms: number, check: () => unknown) =>
    expect.poll(async () => {
      await clock.advance(ms);
      return check();
    });
  const remove = (resource: string, name: string) => {
    const { caller } = api.request('DELETE', resource, name);
    return api.deps.remover.remove(api.endpoint(resource), { namespace: '', name }, { dryRun: false }, caller);
  };

  it('begin once the objects are known, bring back what is deleted, and write nothing at rest', async () => {
    const { configuration, run, told: reported } = processOf();
    const clock = new ManualClock();
    const running = await run({ clock });
    await clock.settle();
    expect([...new Set(reported)]).toEqual(['objects are not followed']);
    await configuration.start();
    const soon = (check: () => unknown) => after(clock, 250, check);
    await soon(() => kept(LEVELS, 'node-high')).toBeDefined();
    await soon(() => dangling('system-nodes')).toBe('False');
    await remove(LEVELS, 'node-high');
    await soon(() => kept(LEVELS, 'node-high')).toBeDefined();
    await api.create('flowschemas', schema('of-none', 'none'));
    await soon(() => dangling('of-none')).toBe('True');
    await api.create(LEVELS, level('none'));
    await soon(() => dangling('of-none')).toBe('False');
    await configuration.confirm();
    await clock.advance(1_000);
    const writes = api.store.writes.length;
    await clock.advance(60_000);
    expect(api.store.writes.length).toBe(writes);
    await running.stop();
    configuration.stop();
  });

  it('keep the others where one cannot be written, which is tried again', async () => {
    isRefused = ({ name }) => name === 'system';
    const { configuration, run, told: reported } = processOf();
    const clock = new ManualClock();
    await configuration.start();
    const running = await run({ clock });
    await after(clock, 0, () => kept(LEVELS, 'global-default')).toBeDefined();
    await after(clock, 0, () => reported.length).toBe(1);
    await clock.advance(250);
    await after(clock, 0, () => reported.length).toBe(2);
    isRefused = () => false;
    await after(clock, 500, () => kept(LEVELS, 'system')).toBeDefined();
    await running.stop();
    configuration.stop();
  });

  it('write nothing once the process has lost the lease', async () => {
    const { configuration, keeper } = processOf();
    await configuration.start();
    const writes = api.store.writes.length;
    const [levels, schemas] = keeper.controllers;
    await expect(levels?.reconcile('system', { goesOn: false })).rejects.toMatchObject({ code: 503 });
    await expect(schemas?.reconcile('system-nodes', { goesOn: false })).rejects.toMatchObject({ code: 503 });
    expect(api.store.writes.length).toBe(writes);
    configuration.stop();
  });
});

describe('what every installation has', () => {
  it('is not written over where it cannot be read, and the rest is kept', async () => {
    await round();
    const kept = (resource: string, name: string) => api.stored(resource, name)?.metadata?.resourceVersion;
    const changed = async (resource: string, name: string, spec: object) => {
      const change = (object: ApiObject) => ({ ...object, spec: { ...(object.spec as object), ...spec } });
      await api.deps.pipeline.write(api.request('UPDATE', resource, name), { change });
      return kept(resource, name);
    };
    const before = [
      await changed(LEVELS, 'system', { limited }),
      await changed('flowschemas', 'system-nodes', { matchingPrecedence: 501 }),
    ];
    const { caller } = api.request('DELETE', LEVELS, 'node-high');
    const key = { namespace: '', name: 'node-high' };
    await api.deps.remover.remove(api.endpoint(LEVELS), key, { dryRun: false }, caller);
    const reported = await round('system', 'system-nodes');
    expect(reported.sort()).toEqual([unreadable('system'), unreadable('system-nodes')]);
    expect([kept(LEVELS, 'system'), kept('flowschemas', 'system-nodes')]).toEqual(before);
    expect(kept(LEVELS, 'node-high')).toBeDefined();
    expect(await round()).toEqual([]);
    expect(api.stored(LEVELS, 'system')).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 30 } } });
    expect(api.stored('flowschemas', 'system-nodes')).toMatchObject({ spec: { matchingPrecedence: 500 } });
  });
});

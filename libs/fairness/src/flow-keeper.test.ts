import type { ApiObject } from '@orch/machinery';
import { Leadership } from '@orch/runtime/work';
import { leavingOut, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FlowConfiguration } from './flow-configuration.js';
import { FlowKeeper } from './flow-keeper.js';

const LEVELS = 'prioritylevelconfigurations';

let api: TestApi;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
});
afterEach(() => api.close());

/** One round of a process that has just come to lead, and cannot read what has these names. @returns what failed, or could not be read */
async function round(...unreadable: string[]): Promise<string[]> {
  const told: string[] = [];
  const onError = (error: unknown) => void told.push((error as Error).message);
  const configuration = new FlowConfiguration({
    ...{ deps: api.deps, feed: api.feed, controller: { configure: () => undefined }, onError },
    store: leavingOut(api.store, ({ name }) => unreadable.includes(name)),
  });
  await configuration.start();
  const leadership = new Leadership({ take: async () => true, giveBack: async () => undefined });
  const keeper = new FlowKeeper({ deps: api.deps, configuration, leadership, onError });
  keeper.start();
  await keeper.stop();
  configuration.stop();
  return told;
}

const limited = { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } };
const level = (name: string): ApiObject => ({ metadata: { name }, spec: { type: 'Limited', limited } });
const schema = (name: string, of: string): ApiObject => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: of }, matchingPrecedence: 500 },
});
const unreadable = (name: string) => `unable to read things "${name}": no key`;

describe('a flow schema', () => {
  /** Whether it was told that its level is not there. */
  function dangling(name: string): string | undefined {
    const { status } = api.stored('flowschemas', name) as ApiObject;
    const { conditions } = (status ?? {}) as { conditions?: Record<string, string>[] };
    return conditions?.find(({ type }) => type === 'Dangling')?.status;
  }

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
    const told = await round('system', 'system-nodes');
    expect(told.sort()).toEqual([unreadable('system'), unreadable('system-nodes')]);
    expect([kept(LEVELS, 'system'), kept('flowschemas', 'system-nodes')]).toEqual(before);
    expect(kept(LEVELS, 'node-high')).toBeDefined();
    expect(await round()).toEqual([]);
    expect(api.stored(LEVELS, 'system')).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 30 } } });
    expect(api.stored('flowschemas', 'system-nodes')).toMatchObject({ spec: { matchingPrecedence: 500 } });
  });
});

import type { ApiObject } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import type { Version } from '@orch/storage';
import { type RunningControllers, runControllers } from '@orch/testing';
import type { KnownQuota } from '@orch/writing';
import { afterEach, expect, it } from 'vitest';
import { type CountReason, quotaController } from './quota-controller.js';

let running: RunningControllers;
afterEach(() => running.stop());

/** Quotas in memory, with a store that tells where writes were not charged. */
function staged() {
  const clock = new ManualClock();
  const quotas = new Map<string, KnownQuota>();
  const listeners = new Set<() => void>();
  const state = { uncharged: [] as string[], overtakes: 0, rounds: 0, error: undefined as unknown, failing: '' };
  const [counted, written, forgotten, errors]: [CountReason[], string[], Version[], unknown[]] = [[], [], [], []];
  const put = (name: string, uncounted: boolean) => {
    const terms = { name, limited: ['pods'], selectors: [] };
    quotas.set(name, { namespace: 'ns', terms, binary: new Set(), uncounted });
    for (const listener of listeners) listener();
  };
  const controller = quotaController({
    store: {
      uncharged: async () => ({ upTo: 7n as Version, namespaces: state.uncharged }),
      forgetUncharged: async (upTo) => {
        forgotten.push(upTo);
        state.uncharged = [];
      },
    },
    index: {
      all: () => quotas.values(),
      in: () => [...quotas.values()],
      confirm: async () => undefined,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    count: {
      find: async ({ name }) => {
        const known = quotas.get(name);
        const status = known?.uncounted === false ? { hard: { pods: '1' }, used: { pods: '0' } } : {};
        return known && { version: 1n as Version, quota: { spec: { hard: { pods: '1' } }, status } as ApiObject };
      },
      used: async () => new Map(),
      write: async ({ name }) => {
        if (state.error && (state.failing === '' || state.failing === name)) throw state.error;
        if (state.overtakes-- > 0) return false;
        written.push(name);
        const known = quotas.get(name);
        if (known) quotas.set(name, { ...known, uncounted: false });
        return true;
      },
    },
    verifier: {
      round: async () => {
        state.rounds++;
        return 60_000;
      },
    },
    onCounted: (reason) => counted.push(reason),
  });
  const start = async () => {
    const onError = (error: unknown) => void errors.push(error);
    running = await runControllers({ controllers: [controller] }, { clock, onError });
    await clock.settle();
  };
  return { clock, state, put, start, counted, written, forgotten, errors };
}

it('counts quotas that nobody has counted, those that were there and those that come', async () => {
  const stage = staged();
  stage.put('old', true);
  stage.put('counted', false);
  await stage.start();
  expect(stage.written).toEqual(['old']);
  stage.put('new', true);
  await stage.clock.settle();
  expect([stage.written, stage.counted]).toEqual([
    ['old', 'new'],
    ['new', 'new'],
  ]);
  await stage.clock.advance(600_000);
  expect(stage.written).toHaveLength(2);
});

it('counts again where the quota was written meanwhile', async () => {
  const stage = staged();
  stage.state.overtakes = 3;
  stage.put('busy', true);
  await stage.start();
  expect(stage.written).toEqual(['busy']);
});

it('counts twice what servers of the release before have written beside, and forgets that then', async () => {
  const stage = staged();
  stage.put('a', false);
  await stage.start();
  stage.state.uncharged = ['ns'];
  await stage.clock.advance(3_000);
  expect([stage.written, stage.counted, stage.forgotten]).toEqual([['a', 'a'], ['uncharged', 'uncharged'], [7n]]);
  await stage.clock.advance(60_000);
  expect(stage.written).toHaveLength(2);
});

it('forgets nothing of what could not be counted', async () => {
  const stage = staged();
  stage.put('a', false);
  stage.state.uncharged = ['ns'];
  stage.state.error = new Error('no database');
  await stage.start();
  expect([stage.forgotten, stage.errors]).toEqual([[], [stage.state.error]]);
  stage.state.error = undefined;
  await stage.clock.advance(250);
  expect([stage.written, stage.forgotten]).toEqual([['a', 'a'], [7n]]);
});

it('counts the others where one cannot be counted', async () => {
  const stage = staged();
  for (const name of ['a', 'b', 'c']) stage.put(name, false);
  Object.assign(stage.state, { uncharged: ['ns'], error: new Error('refused'), failing: 'a' });
  await stage.start();
  expect([stage.written, stage.forgotten, stage.errors]).toEqual([['b', 'b', 'c', 'c'], [], [stage.state.error]]);
});

it('verifies as often as the verifier says', async () => {
  const stage = staged();
  await stage.start();
  expect(stage.state.rounds).toBe(1);
  await stage.clock.advance(60_000);
  expect(stage.state.rounds).toBe(2);
});

import { ManualClock } from '@orch/runtime/testing';
import { beforeEach, expect, it } from 'vitest';
import type { ClusterView } from '../framework/cluster-view.js';
import { NodeInfo } from '../framework/node-info.js';
import type { PodFilter } from '../framework/plugin.js';
import { podInfoOf } from '../framework/pod-info.js';
import { observedPlugin } from './observed-plugin.js';
import type { AnyPlugin } from './registry.js';

const pod = podInfoOf({ metadata: { name: 'p', namespace: 'ns', uid: 'u' } });
const node = new NodeInfo('n');
const view = {} as ClusterView;
let clock: ManualClock;
let runs: string[];
beforeEach(() => {
  clock = new ManualClock();
  runs = [];
});

const observed = (plugin: Omit<AnyPlugin, 'name'>, random = 0) =>
  observedPlugin(
    { name: 'Test', ...plugin },
    {
      ran: (name, point, status, seconds) => void runs.push(`${name} ${point} ${status} ${seconds}`),
      clock,
      random: () => random,
    },
  );

it('measures each run of a plugin for a pod', () => {
  const rejection = { plugin: 'Test', reasons: ['no'], isResolvable: true };
  const filter: PodFilter = {
    candidates: new Set(['n']),
    filter() {
      clock.advanceNow(2_000);
      return rejection;
    },
    fork: () => ({ filter: () => rejection, fork: () => filter.fork?.() as never, addPod() {}, removePod() {} }),
    reserve: () => undefined,
  };
  const plugin = observed({ prepare: () => filter, score: () => [1] });
  const prepared = plugin.prepare?.(pod, view) as PodFilter;
  expect([prepared.filter(node), prepared.reserve?.(node), prepared.candidates]).toEqual([
    rejection,
    undefined,
    filter.candidates,
  ]);
  expect(prepared.fork?.().filter(node)).toBe(rejection);
  expect(plugin.score?.(pod, [node], view)).toEqual([1]);
  expect(runs).toEqual([
    'Test PreFilter Success 0',
    'Test Filter Unschedulable 2',
    'Test Reserve Success 0',
    'Test Score Success 0',
  ]);
});

it('tells what a plugin has come to', () => {
  observed({ prepare: () => undefined, score: () => undefined }).prepare?.(pod, view);
  observed({ prepare: () => ({ plugin: 'Test', reasons: ['no'], isResolvable: false }) }).prepare?.(pod, view);
  const broken = observed({
    prepare() {
      throw new Error('broken');
    },
  });
  expect(() => broken.prepare?.(pod, view)).toThrow('broken');
  expect(runs.map((run) => run.split(' ')[2])).toEqual(['Skip', 'UnschedulableAndUnresolvable', 'Error']);
});

it('measures a tenth of the pods, and leaves other parts of plugins alone', () => {
  const filter: PodFilter = { filter: () => undefined };
  const compare = () => 0;
  const plugin = observed({ prepare: () => filter, compare, score: () => [1] }, 0.1);
  expect(plugin.prepare?.(pod, view)).toBe(filter);
  expect(plugin.score?.(pod, [node], view)).toEqual([1]);
  expect([runs, plugin.compare, plugin.preEnqueue]).toEqual([[], compare, undefined]);
});

import { ManualClock } from '@orch/runtime/testing';
import { beforeEach, expect, it } from 'vitest';
import type { ClusterView } from './cluster-view.js';
import { NodeInfo } from './node-info.js';
import { observedProfile } from './observed-profile.js';
import type { FilterPlugin, PodFilter, ScorePlugin } from './plugin.js';
import { podInfoOf } from './pod-info.js';

const pod = podInfoOf({ metadata: { name: 'p', namespace: 'ns', uid: 'u' } });
const node = new NodeInfo('n');
const view = {} as ClusterView;
let clock: ManualClock;
let runs: string[];
beforeEach(() => {
  clock = new ManualClock();
  runs = [];
});

type Parts = Partial<Pick<FilterPlugin, 'prepare'> & Pick<ScorePlugin, 'score'>>;

/** The parts of a plugin, observed. */
function observed({ prepare = () => undefined, score = () => undefined }: Parts, random = 0) {
  const plugin = { name: 'Test', prepare, score };
  const { filters, scores } = observedProfile(
    {
      name: 'p',
      queueSort: { name: 'sort', compare: () => 0 },
      preEnqueue: [],
      filters: [plugin],
      scores: [{ plugin, weight: 3 }],
      percentageOfNodesToScore: 0,
    },
    {
      ran: (name, point, status, seconds) => void runs.push(`${name} ${point} ${status} ${seconds}`),
      clock,
      random: () => random,
    },
  );
  return { prepare: filters[0]?.prepare, score: scores[0]?.plugin.score, weight: scores[0]?.weight };
}

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

it('measures a tenth of the pods, and leaves the others alone', () => {
  const filter: PodFilter = { filter: () => undefined };
  const plugin = observed({ prepare: () => filter, score: () => [1] }, 0.1);
  expect(plugin.prepare?.(pod, view)).toBe(filter);
  expect(plugin.score?.(pod, [node], view)).toEqual([1]);
  expect([runs, plugin.weight]).toEqual([[], 3]);
});

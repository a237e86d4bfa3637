import { namesOf } from '@orch/machinery';
import {
  parseEvictionAmounts,
  parseEvictionPeriods,
  parseThresholds,
  podAnnotations,
  qosClassOf,
} from '@orch/pod-environment';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Pod } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { CALM, FILESYSTEM, TestEvents, testPod, testUsage } from '../testing/doubles.js';
import type { NodeUsage, PodUsage } from '../usage/usage.js';
import { pressureRefusal } from './admission.js';
import { EvictionManager } from './eviction-manager.js';
import { thresholdsOf } from './thresholds.js';

const annotations = podAnnotations(namesOf('kubernetes'));
const lowMemory = (available: number): NodeUsage => ({
  ...CALM,
  memory: { ...CALM.memory, availableBytes: available, workingSetBytes: 1_000_000 - available },
});
const lowDisk = { ...CALM, nodefs: { ...FILESYSTEM, availableBytes: 1_000 } };

interface Setup {
  readonly hard?: string[];
  readonly soft?: string[];
  readonly grace?: string;
  readonly reclaim?: string;
  readonly holdsPods?: boolean;
}

function setup({ hard = [], soft = [], grace = '', reclaim = '', holdsPods = false }: Setup) {
  const clock = new ManualClock();
  const events = new TestEvents();
  const state = {
    node: CALM,
    pods: [] as Pod[],
    usages: [] as PodUsage[],
    removed: [] as string[],
    ending: '',
    measured: 0,
  };
  const evicted: string[] = [];
  const freed = { node: undefined as NodeUsage | undefined };
  const [, softSignal = ''] = /^(.+?)</.exec(soft[0] ?? '') ?? [];
  const [, hardSignal = ''] = /^(.+?)</.exec(hard[0] ?? '') ?? [];
  const manager = new EvictionManager({
    thresholds: thresholdsOf({
      hard: parseThresholds(hard),
      soft: parseThresholds(soft),
      gracePeriods: parseEvictionPeriods(new Map(grace ? [[softSignal, grace]] : [])),
      reclaim: parseEvictionAmounts(new Map(reclaim ? [[hardSignal, reclaim]] : [])),
      holdsPods,
    }),
    transitionMs: 60_000,
    maxGraceSeconds: 7,
    limitsStorage: true,
    meter: {
      node: async () => state.node,
      pods: async () => {
        state.measured++;
        return new Map(state.usages.map((usage) => [usage.uid, usage]));
      },
    },
    podMemory: () => 1_000_000,
    pods: () => state.pods,
    evict: (pod, { reason, message, conditions }, seconds) => {
      evicted.push(`${pod.metadata?.name} ${seconds}s ${reason} ${conditions[0]?.reason}: ${message}`);
      state.pods = state.pods.filter((other) => other !== pod);
    },
    isEnding: (uid) => uid === state.ending,
    removeContainers: async () => void state.removed.push('containers'),
    removeImages: async () => {
      state.removed.push('images');
      if (freed.node) state.node = freed.node;
    },
    annotations,
    events,
    clock,
    logger: silentLogger,
  });
  return { clock, events, state, evicted, freed, manager };
}

describe('EvictionManager', () => {
  it('--eviction-hard evicts one pod each round, the one that exceeds its request most first', async () => {
    const { manager, state, evicted, events, clock } = setup({ hard: ['memory.available<100Ki'] });
    state.node = lowMemory(50_000);
    state.pods = [testPod('within', '900Ki'), testPod('little'), testPod('much')];
    state.usages = [testUsage('within', 800_000), testUsage('little', 1_024), testUsage('much', 2_048)];
    manager.start();
    await clock.advance(0);
    const message =
      'The node was low on resource: memory. Threshold quantity: 100Ki, available: 50000. Container c was using 2Ki, request is 0, has larger consumption of memory. ';
    expect(evicted).toEqual([`much 0s Evicted TerminationByKubelet: ${message}`]);
    expect(events.all).toEqual(['EvictionThresholdMet: Attempting to reclaim memory', `much Evicted: ${message}`]);
    expect(manager.conditions).toEqual(['MemoryPressure']);
    await clock.advance(10_000);
    expect(evicted.map((line) => line.split(' ')[0])).toEqual(['much', 'little']);
    await clock.advance(10_000);
    expect(evicted.at(-1)).toContain('within 0s');
    await manager.stop();
  });

  it('measures pods only where a threshold may be exceeded, or one may have only so many files', async () => {
    const { manager, state, evicted } = setup({ hard: ['memory.available<100k'], holdsPods: true });
    state.pods = [testPod('a')];
    await manager.check();
    expect(state.measured).toBe(0);
    // All that is used may be that of pods, which have as much as the machine here.
    state.node = { ...CALM, memory: { ...CALM.memory, availableBytes: 200_000, workingSetBytes: 950_000 } };
    await manager.check();
    expect([state.measured, evicted]).toEqual([1, []]);
    state.usages = [testUsage('a', 950_000)];
    await manager.check();
    expect([state.measured, evicted.length]).toEqual([2, 1]);
    state.node = CALM;
    state.pods = [
      testPod('v', undefined, { containers: [], volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Ki' } }] }),
    ];
    await manager.check();
    expect(state.measured).toBe(3);
  });

  it('spares critical pods, and evicts lower priorities first', async () => {
    const { manager, state, evicted } = setup({ hard: ['memory.available<10%'] });
    state.node = lowMemory(50_000);
    const critical = testPod('critical', undefined, { priority: 2_000_000_000 });
    state.pods = [critical, testPod('high', undefined, { priority: 10 }), testPod('low', undefined, { priority: 1 })];
    state.usages = [testUsage('critical', 9_000), testUsage('high', 9_000), testUsage('low', 10)];
    for (let round = 0; round < 3; round++) await manager.check();
    expect(evicted.map((line) => line.split(' ')[0])).toEqual(['low', 'high']);
    expect(evicted[0]).toContain('Threshold quantity: 100000, available: 50000. ');
  });

  it('evicts no other pod while the last one has not ended, unless that takes too long', async () => {
    const { manager, state, evicted, clock } = setup({ soft: ['memory.available<100Ki'] });
    state.node = lowMemory(50_000);
    state.pods = [testPod('a'), testPod('b'), testPod('c')];
    state.ending = 'a';
    await manager.check();
    await clock.advance(10_000);
    await manager.check();
    expect(evicted).toHaveLength(1);
    state.ending = '';
    await manager.check();
    expect(evicted).toHaveLength(2);
    state.ending = 'b';
    await clock.advance(39_999);
    await manager.check();
    expect(evicted).toHaveLength(2);
    await clock.advance(1_000);
    await manager.check();
    expect(evicted).toHaveLength(3);
  });

  it('a soft threshold evicts after its grace period, with the longest grace of pods', async () => {
    const { manager, state, evicted, clock } = setup({ soft: ['memory.available<100Ki'], grace: '1m30s' });
    state.node = lowMemory(50_000);
    state.pods = [testPod('a')];
    await manager.check();
    expect(manager.conditions).toEqual(['MemoryPressure']);
    await clock.advance(89_000);
    await manager.check();
    expect(evicted).toEqual([]);
    await clock.advance(1_000);
    await manager.check();
    expect(evicted[0]).toContain('a 7s Evicted');
  });

  it('--eviction-pressure-transition-period: the condition ends once the pressure has been gone for so long', async () => {
    const { manager, state, clock } = setup({ hard: ['pid.available<100'] });
    state.node = { ...CALM, processes: { max: 1_000, running: 950 } };
    await manager.check();
    state.node = CALM;
    await clock.advance(59_000);
    await manager.check();
    expect(manager.conditions).toEqual(['PIDPressure']);
    await clock.advance(1_000);
    await manager.check();
    expect(manager.conditions).toEqual([]);
  });

  it('a minimum reclaim keeps a threshold exceeded until more is free', async () => {
    const { manager, state, evicted } = setup({ hard: ['memory.available<100k'], reclaim: '50k' });
    state.pods = [testPod('a'), testPod('b'), testPod('c')];
    state.usages = [testUsage('a', 1_000), testUsage('b', 2_000), testUsage('c', 3_000)];
    state.node = lowMemory(120_000);
    await manager.check();
    expect(evicted).toHaveLength(0);
    state.node = lowMemory(90_000);
    await manager.check();
    state.node = lowMemory(120_000);
    await manager.check();
    expect(evicted.map((line) => line.split(' ')[0])).toEqual(['c', 'b']);
    state.node = lowMemory(150_000);
    await manager.check();
    expect(evicted).toHaveLength(2);
  });

  it('removes containers and images before a pod is evicted for disk', async () => {
    const { manager, state, evicted, freed } = setup({ hard: ['nodefs.available<10%'] });
    state.node = lowDisk;
    freed.node = CALM;
    state.pods = [testPod('small'), testPod('large')];
    state.usages = [testUsage('small', 0, 10), testUsage('large', 0, 10, 90)];
    await manager.check();
    expect([state.removed, evicted]).toEqual([['containers', 'images'], []]);
    freed.node = undefined;
    state.node = lowDisk;
    await manager.check();
    expect(evicted[0]).toContain(
      'large 0s Evicted TerminationByKubelet: The node was low on resource: ephemeral-storage.',
    );
    expect(manager.conditions).toEqual(['DiskPressure']);
  });

  it('--local-storage-capacity-isolation: limits of volumes, pods and containers evict without a threshold', async () => {
    const { manager, state, evicted } = setup({});
    const limit = (amount: string) => ({ limits: { 'ephemeral-storage': amount } });
    state.pods = [
      testPod('volume', undefined, { containers: [], volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Ki' } }] }),
      testPod('files', undefined, { containers: [{ name: 'c', image: 'i', resources: limit('1Ki') }] }),
      testPod('within', undefined, { containers: [{ name: 'c', image: 'i', resources: limit('10Ki') }] }),
    ];
    state.usages = [testUsage('volume', 0, 0, 1_025), testUsage('files', 0, 2_000), testUsage('within', 0, 2_000)];
    await manager.check();
    expect(evicted).toEqual([
      'volume 0s Evicted TerminationByKubelet: Usage of EmptyDir volume "v" exceeds the limit "1Ki". ',
      'files 0s Evicted TerminationByKubelet: Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ',
    ]);
  });
});

describe('pressureRefusal', () => {
  const taint = 'node.kubernetes.io/memory-pressure';
  const refused = (pod: Pod, ...conditions: Parameters<typeof pressureRefusal>[1]) =>
    pressureRefusal(pod, conditions, annotations, taint)?.message;

  it('refuses the class best effort under memory pressure, unless it is tolerated, and all but critical ones else', () => {
    const [best, burstable] = [testPod('a'), testPod('b', '1Ki')];
    expect([qosClassOf(best), qosClassOf(burstable)]).toEqual(['BestEffort', 'Burstable']);
    const tolerating = testPod('c', undefined, { tolerations: [{ key: taint, operator: 'Exists' }] });
    expect([best, burstable, tolerating].map((pod) => refused(pod, 'MemoryPressure'))).toEqual([
      'The node had condition: [MemoryPressure]. ',
      undefined,
      undefined,
    ]);
    expect([best, burstable, tolerating].map((pod) => refused(pod, 'DiskPressure') !== undefined)).toEqual([
      true,
      true,
      true,
    ]);
    expect(refused(testPod('d', undefined, { priority: 2_000_001_000 }), 'DiskPressure')).toBeUndefined();
    expect(refused(best)).toBeUndefined();
  });
});

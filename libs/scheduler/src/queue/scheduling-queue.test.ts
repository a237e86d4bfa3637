import { ManualClock } from '@orch/runtime/testing';
import { ACTION, type ClusterEvent, type PodInfo, podInfoOf, prioritySort } from '@orch/scheduler-plugins';
import type { Pod } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import { type NamedEvent, SchedulingQueue } from './scheduling-queue.js';

const FIT = new Set(['Fit']);
const event = (resource: ClusterEvent['resource'], actions: number): NamedEvent => ({ resource, actions, label: 'E' });
const NODE_ADD = event('Node', ACTION.add);
const POD_ADD = event('Pod', ACTION.add);
const POD_DELETE = event('Pod', ACTION.delete);

let clock: ManualClock;
let queue: SchedulingQueue;
let ready: number;
const entered: string[] = [];

interface Settings {
  readonly priority?: number;
  readonly labels?: Record<string, string>;
  readonly spec?: Pod['spec'];
  readonly version?: string;
  readonly namespace?: string;
}

function pod(
  name: string,
  { priority = 0, labels = {}, spec = {}, version = '1', namespace = 'n' }: Settings = {},
): PodInfo {
  return podInfoOf({
    metadata: { name, uid: name, namespace, labels, resourceVersion: version },
    spec: { priority, ...spec },
  });
}

const helps = (plugin: string, { resource, actions }: ClusterEvent): boolean =>
  plugin === 'Fit'
    ? (resource === 'Node' && (actions & ACTION.add) !== 0) || (resource === 'Pod' && (actions & ACTION.delete) !== 0)
    : plugin === 'Nodes'
      ? resource === 'Node'
      : plugin !== 'deaf';

beforeEach(() => {
  clock = new ManualClock();
  ready = 0;
  entered.length = 0;
  queue = new SchedulingQueue({
    compare: prioritySort.compare,
    gatedBy: ({ pod: { spec } }) => ((spec?.schedulingGates ?? []).length > 0 ? 'SchedulingGates' : undefined),
    helps,
    namespaceLabels: () => ({}),
    onReady: () => ready++,
    onEntered: (part, label) => entered.push(`${part} ${label}`),
    backoff: { firstMs: 1_000, longestMs: 10_000 },
    flushMs: 300_000,
    clock,
  });
});

/** Has an attempt of a pod fail. */
function fails(name: string, rejectedBy: ReadonlySet<string> = FIT): void {
  queue.set(pod(name));
  const popped = queue.pop();
  if (!popped) throw new Error('none is ready');
  queue.retry(popped, rejectedBy);
}

const names = (): string[] => {
  const popped: string[] = [];
  for (let next = queue.pop(); next; next = queue.pop()) popped.push(next.info.name);
  return popped;
};

describe('pods that are ready', () => {
  it('come by priority, then by the time since which they wait', () => {
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 5],
      ['d', -1],
    ] as const) {
      queue.set(pod(name, { priority }));
      clock.advanceNow(1);
    }
    expect(names()).toEqual(['b', 'c', 'a', 'd']);
  });

  it('are told of once, when there were none', () => {
    queue.set(pod('a'));
    queue.set(pod('b'));
    expect(ready).toBe(1);
    names();
    queue.set(pod('c'));
    expect(ready).toBe(2);
  });

  it('are tried in their newest state, and not once deleted', () => {
    queue.set(pod('a'));
    queue.set(pod('a', { labels: { x: 'y' }, version: '2' }));
    queue.set(pod('b'));
    queue.delete('b');
    expect(queue.pop()?.info.labels).toEqual({ x: 'y' });
    expect(queue.pop()).toBeUndefined();
  });

  it('are found by many changes in the right order', () => {
    const left = new Map<string, number>();
    for (let at = 0; at < 500; at++) {
      const [name, priority] = [`p${(at * 7_919) % 200}`, (at * 104_729) % 50];
      if (at % 3 === 0) queue.delete(name);
      else queue.set(pod(name, { priority }));
      if (at % 3 === 0) left.delete(name);
      else left.set(name, priority);
    }
    const popped = names();
    expect(popped.length).toBe(left.size);
    const priorities = popped.map((name) => left.get(name) as number);
    expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
  });
});

describe('pods that have failed', () => {
  it('wait for twice as long after each attempt, up to the limit', () => {
    const waits: number[] = [];
    fails('a', new Set());
    for (let attempt = 0; attempt < 6; attempt++) {
      let waited = 0;
      for (; !queue.hasReady; waited += 500) clock.advanceNow(500);
      waits.push(waited);
      const popped = queue.pop();
      if (popped) queue.retry(popped, new Set());
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('wait for a change that helps, and for the rest of their backoff', () => {
    fails('a');
    expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 1, gated: 0 });
    queue.move(POD_ADD);
    expect(queue.sizes).toMatchObject({ unschedulable: 1 });
    queue.move(NODE_ADD, () => 'Taints');
    expect(queue.sizes).toMatchObject({ unschedulable: 1 });
    queue.move(NODE_ADD);
    expect(queue.sizes).toMatchObject({ unschedulable: 0, backoff: 1 });
    clock.advanceNow(999);
    expect(queue.hasReady).toBe(false);
    clock.advanceNow(1);
    expect(names()).toEqual(['a']);
  });

  it('wait for what would help the plugin too that refuses a node which has come meanwhile', () => {
    fails('a', new Set(['Nodes']));
    queue.move(NODE_ADD, () => 'Fit');
    queue.move(POD_DELETE);
    expect(queue.sizes).toMatchObject({ unschedulable: 0, backoff: 1 });
  });

  it('are ready at once where the backoff is over when a change helps', () => {
    fails('a');
    clock.advanceNow(1_000);
    queue.move(POD_DELETE);
    expect(names()).toEqual(['a']);
    expect(entered).toEqual(['active PodAdd', 'unschedulable ScheduleAttemptFailure', 'active E']);
  });

  it.each<[string, ReadonlySet<string>, boolean]>([
    ['a plugin that knows no events', new Set(['unknown']), true],
    ['two plugins of which one is helped', new Set(['deaf', 'Fit']), true],
    ['a plugin that nothing helps', new Set(['deaf']), false],
  ])('are moved by what helps: %s', (_what, rejectedBy, isMoved) => {
    fails('a', rejectedBy);
    queue.move(NODE_ADD);
    expect(queue.sizes.backoff).toBe(isMoved ? 1 : 0);
  });

  it('are tried again after five minutes though nothing has changed', () => {
    fails('a', new Set(['deaf']));
    clock.advanceNow(300_000);
    expect(queue.hasReady).toBe(false);
    clock.advanceNow(30_000);
    expect(names()).toEqual(['a']);
  });

  it('are tried again at once when their spec or labels change, and not for a new status', () => {
    fails('a');
    clock.advanceNow(2_000);
    queue.set(podInfoOf({ ...pod('a').pod, status: { message: 'm' } }));
    queue.set(pod('a', { version: '2' }));
    expect(queue.hasReady).toBe(false);
    queue.set(pod('a', { labels: { x: 'y' } }));
    expect(names()).toEqual(['a']);
  });

  it('are forgotten when they are deleted, wherever they wait', () => {
    fails('a');
    fails('b', new Set());
    queue.delete('a');
    queue.delete('b');
    expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0 });
    queue.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('pods that are being tried', () => {
  it('wait for their backoff alone when a change that helps came meanwhile', () => {
    queue.set(pod('a'));
    const attempt = queue.pop();
    queue.move(NODE_ADD, () => 'Taints');
    if (attempt) queue.retry(attempt, FIT);
    expect(queue.sizes).toMatchObject({ unschedulable: 0, backoff: 1 });
  });

  it('do not for one that does not help, or came before', () => {
    queue.move(NODE_ADD);
    queue.set(pod('a'));
    const attempt = queue.pop();
    queue.move(POD_ADD);
    if (attempt) queue.retry(attempt, FIT);
    expect(queue.sizes).toMatchObject({ unschedulable: 1, backoff: 0 });
  });

  it('forget the changes of one attempt before the next', () => {
    queue.set(pod('a'));
    for (const [changes, expected] of [
      [[NODE_ADD], 1],
      [[], 0],
    ] as const) {
      const attempt = queue.pop();
      for (const change of changes) queue.move(change);
      if (attempt) queue.retry(attempt, FIT);
      expect(queue.sizes.backoff).toBe(expected);
      clock.advanceNow(10_000);
    }
  });

  it('are tried again in their newest state, and soon where their spec has changed', () => {
    queue.set(pod('a'));
    const attempt = queue.pop();
    queue.set(pod('a', { labels: { x: 'y' } }));
    expect(queue.hasReady).toBe(false);
    if (attempt) queue.retry(attempt, new Set(['deaf']));
    clock.advanceNow(1_000);
    expect(queue.pop()?.info.labels).toEqual({ x: 'y' });
  });

  it('are not tried again once deleted, nor where a pod of the same name has come', () => {
    queue.set(pod('a'));
    const attempt = queue.pop();
    queue.delete('a');
    expect(attempt && queue.isUnderWay(attempt)).toBe(false);
    if (attempt) queue.retry(attempt, new Set());
    expect(queue.sizes).toMatchObject({ backoff: 0, unschedulable: 0 });
  });
});

describe('gated pods', () => {
  const gated = (version: string, ...gates: string[]) =>
    pod('a', { version, spec: { schedulingGates: gates.map((name) => ({ name })) } });

  it('are not tried, whatever changes, until the last gate is gone', () => {
    queue.set(gated('1', 'x', 'y'));
    queue.move(NODE_ADD);
    queue.set(gated('2', 'y'));
    clock.advanceNow(400_000);
    expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 });
    queue.set(gated('3'));
    expect(names()).toEqual(['a']);
  });
});

describe('a pod that has come to a node', () => {
  const required = (app: string, more: object = {}): Pod['spec'] => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: { matchLabels: { app } }, ...more },
        ],
      },
    },
  });

  function waits(name: string, settings: Settings, plugin: string): void {
    queue.set(pod(name, settings));
    const attempt = queue.pop();
    if (attempt) queue.retry(attempt, new Set([plugin]));
  }

  it('helps those that want to be near it, or are spread with it, and no others', () => {
    waits('near', { spec: required('web') }, 'InterPodAffinity');
    waits('nearer', { spec: required('web', { namespaceSelector: {} }), namespace: 'o' }, 'InterPodAffinity');
    waits('other', { spec: required('db') }, 'InterPodAffinity');
    waits('elsewhere', { spec: required('web'), namespace: 'o' }, 'InterPodAffinity');
    waits('spread', {}, 'PodTopologySpread');
    waits('spread-elsewhere', { namespace: 'o' }, 'PodTopologySpread');
    waits('full', {}, 'Fit');
    queue.moveForPlaced(pod('placed', { labels: { app: 'web' } }), POD_ADD);
    clock.advanceNow(1_000);
    expect(names().sort()).toEqual(['near', 'nearer', 'spread']);
  });
});

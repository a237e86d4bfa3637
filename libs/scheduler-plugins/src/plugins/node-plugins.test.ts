import { explain, FakeCluster, type PodSettings, profilesOf } from '@orch/scheduler/testing';
import type { NodeSelectorTerm, Taint, Toleration } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';

let cluster: FakeCluster;

beforeEach(() => {
  cluster = new FakeCluster();
});

async function judged(settings: PodSettings, profileSettings: object = {}) {
  const [profile] = profilesOf(profileSettings, cluster);
  const pod = cluster.pod('new', settings);
  cluster.remove('default/new');
  if (!profile) throw new Error('there is no profile');
  return explain(cluster, pod, profile);
}

describe('resources', () => {
  const placed = (requests: Record<string, string>) => cluster.pod('p', { requests, spec: { nodeName: 'a' } });

  it.each<[string, Record<string, string>, string]>([
    ['exactly what is left', { cpu: '1', memory: '1Gi' }, ''],
    ['more', { cpu: '1001m', memory: '1025Mi' }, 'Insufficient cpu,Insufficient memory'],
    ['of another kind', { 'example.com/gpu': '1' }, 'Insufficient example.com/gpu'],
    ['nothing', {}, ''],
  ])('are enough or not for %s', async (_what, requests, reason) => {
    cluster.node('a', { allocatable: { cpu: '4', memory: '8Gi' } });
    placed({ cpu: '3', memory: '7Gi' });
    // Of containers alone: a container here names none where nothing is asked for.
    expect((await judged(Object.keys(requests).length > 0 ? { requests } : {})).reasons?.a).toBe(reason);
  });

  it('that are overcommitted count for pods that ask for anything', async () => {
    cluster.node('a', { allocatable: { cpu: '2' } });
    placed({ cpu: '3' });
    expect((await judged({ requests: { memory: '1Gi' } })).reasons?.a).toBe('Insufficient cpu');
    expect((await judged({})).reasons?.a).toBe('');
  });

  it('of pods are a number of them, also of those that ask for nothing', async () => {
    cluster.node('a', { allocatable: { pods: '1' } });
    cluster.pod('p', { spec: { nodeName: 'a' } });
    expect((await judged({})).reasons?.a).toBe('Too many pods');
  });

  it('that scores assume for pods that ask for none do not count against nodes', async () => {
    cluster.node('a', { allocatable: { cpu: '100m', memory: '200Mi' } });
    for (let at = 0; at < 5; at++) cluster.pod(`p${at}`, { spec: { nodeName: 'a' } });
    expect((await judged({ requests: { cpu: '100m' } })).reasons?.a).toBe('');
  });
});

describe('ports of nodes', () => {
  const port = (hostPort: number, hostIP?: string, protocol: 'TCP' | 'UDP' = 'TCP') => ({
    containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort, protocol, ...(hostIP && { hostIP }) }] }],
  });

  it.each([
    ['the same', port(80), port(80), true],
    ['another', port(80), port(81), false],
    ['another protocol', port(80), port(80, undefined, 'UDP'), false],
    ['the same address', port(80, '10.0.0.1'), port(80, '10.0.0.1'), true],
    ['other addresses', port(80, '10.0.0.1'), port(80, '10.0.0.2'), false],
    ['all addresses against one', port(80), port(80, '10.0.0.2'), true],
    ['one address against all', port(80, '10.0.0.1'), port(80, '0.0.0.0'), true],
  ])('collide or not: %s', async (_what, there, wanted, collides) => {
    cluster.node('a');
    cluster.pod('p', { spec: { nodeName: 'a', ...there } });
    const reason = collides ? "node(s) didn't have free ports for the requested pod ports" : '';
    expect((await judged({ spec: wanted })).reasons?.a).toBe(reason);
  });

  it('are free once the last pod that has one is gone', async () => {
    cluster.node('a');
    for (const name of ['p', 'q']) cluster.pod(name, { spec: { nodeName: 'a', ...port(80) } });
    cluster.remove('default/p');
    expect((await judged({ spec: port(80) })).reasons?.a).not.toBe('');
    cluster.remove('default/q');
    expect((await judged({ spec: port(80) })).reasons?.a).toBe('');
  });
});

describe('taints', () => {
  const taint = (effect: Taint['effect'], key = 'k'): Taint => ({ key, value: 'v', effect }) as Taint;

  it.each<[string, Taint[], Toleration[], string]>([
    ['NoSchedule', [taint('NoSchedule')], [], 'node(s) had untolerated taint {k: v}'],
    ['NoExecute', [taint('NoExecute')], [], 'node(s) had untolerated taint {k: v}'],
    ['PreferNoSchedule', [taint('PreferNoSchedule')], [], ''],
    ['a tolerated one', [taint('NoSchedule')], [{ key: 'k', operator: 'Exists' }], ''],
    [
      'one tolerated for another effect',
      [taint('NoSchedule')],
      [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
      'node(s) had untolerated taint {k: v}',
    ],
    [
      'the first that is not tolerated',
      [taint('NoSchedule'), taint('NoSchedule', 'l')],
      [{ key: 'k', value: 'v' }],
      'node(s) had untolerated taint {l: v}',
    ],
    ['everything tolerated', [taint('NoSchedule'), taint('NoExecute', 'l')], [{ operator: 'Exists' }], ''],
  ])('keep pods away or not: %s', async (_what, taints, tolerations, reason) => {
    cluster.node('a', { spec: { taints } });
    expect((await judged({ spec: { tolerations } })).reasons?.a).toBe(reason);
  });

  it('that discourage count against nodes', async () => {
    cluster.node('a');
    cluster.node('b', { spec: { taints: [taint('PreferNoSchedule')] } });
    cluster.node('c', { spec: { taints: [taint('PreferNoSchedule'), taint('PreferNoSchedule', 'l')] } });
    expect((await judged({})).scores.TaintToleration).toEqual({ a: 300, b: 150, c: 0 });
    const tolerations: Toleration[] = [{ key: 'l', operator: 'Exists', effect: 'PreferNoSchedule' }];
    expect((await judged({ spec: { tolerations } })).scores.TaintToleration).toEqual({ a: 300, b: 0, c: 0 });
  });

  it('of cordoned nodes are tolerated by those that do', async () => {
    cluster.node('a', { spec: { unschedulable: true } });
    expect((await judged({})).reasons?.a).toBe('node(s) were unschedulable');
    const tolerations: Toleration[] = [
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    ];
    expect((await judged({ spec: { tolerations } })).reasons?.a).toBe('');
  });
});

describe('affinity to nodes', () => {
  const NO_MATCH = "node(s) didn't match Pod's node affinity/selector";
  const required = (...nodeSelectorTerms: NodeSelectorTerm[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const named = (name: string): NodeSelectorTerm => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  });
  const labelled = (key: string): NodeSelectorTerm => ({ matchExpressions: [{ key, operator: 'Exists' }] });

  beforeEach(() => {
    cluster.node('a', { labels: { disk: 'ssd' } });
    cluster.node('b', { labels: { rack: '1' } });
    cluster.node('c');
  });

  it.each<[string, PodSettings['spec'], Record<string, string>]>([
    ['a selector', { nodeSelector: { disk: 'ssd' } }, { a: '', b: NO_MATCH, c: NO_MATCH }],
    ['one of several terms', required(labelled('disk'), labelled('rack')), { a: '', b: '', c: NO_MATCH }],
    [
      'a selector and a term',
      { nodeSelector: { disk: 'ssd' }, ...required(labelled('rack')) },
      { a: NO_MATCH, b: NO_MATCH, c: NO_MATCH },
    ],
    ['an empty term', required({}), { a: NO_MATCH, b: NO_MATCH, c: NO_MATCH }],
    ['names', required(named('a'), named('c'), named('gone')), { a: '', b: 'not named', c: '' }],
    ['a name or a label', required(named('a'), labelled('rack')), { a: '', b: '', c: NO_MATCH }],
    [
      'a name with a label that it lacks',
      required({ ...named('a'), ...labelled('rack') }),
      { a: NO_MATCH, b: 'not named', c: 'not named' },
    ],
  ])('is by %s', async (_what, spec, reasons) => {
    expect((await judged({ spec: spec ?? {} })).reasons).toEqual(reasons);
  });

  it('that names no node at all is told so', async () => {
    const fields = [...(named('a').matchFields ?? []), ...(named('b').matchFields ?? [])];
    const { message, reasons } = await judged({ spec: required({ matchFields: fields }) });
    expect(reasons).toBeUndefined();
    expect(message).toContain('0/3 nodes are available: pod affinity terms conflict.');
  });

  it('that names nodes that are not there counts only those that are looked at', async () => {
    const { message } = await judged({ spec: required(named('gone')) });
    expect(message).toBe(
      '0/3 nodes are available: preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling..',
    );
  });

  it('prefers by the sum of weights, scaled to the largest', async () => {
    const term = (weight: number, key: string) => ({ weight, preference: labelled(key) });
    const preferredDuringSchedulingIgnoredDuringExecution = [term(30, 'disk'), term(10, 'rack'), term(90, 'none')];
    const spec = { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } };
    expect((await judged({ spec })).scores.NodeAffinity).toEqual({ a: 200, b: 66, c: 0 });
  });

  it('of the configuration is added to that of all pods', async () => {
    const addedAffinity = {
      ...required(labelled('rack')).affinity.nodeAffinity,
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: labelled('disk') }],
    };
    const profile = { pluginConfig: [{ name: 'NodeAffinity', args: { addedAffinity } }] };
    const NOT_ADDED = "node(s) didn't match scheduler-enforced node affinity";
    expect((await judged({}, profile)).reasons).toEqual({ a: NOT_ADDED, b: '', c: NOT_ADDED });
  });

  it('to the node that the pod names is the first to be looked at', async () => {
    const spec = { nodeName: 'b' };
    expect((await judged({ spec })).reasons).toMatchObject({
      a: "node(s) didn't match the requested node name",
      b: '',
    });
  });
});

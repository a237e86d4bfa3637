import { explain, FakeCluster, type PodSettings, profilesOf } from '@orch/scheduler/testing';
import type { Affinity, PodAffinityTerm } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';

const AFFINITY = "node(s) didn't match pod affinity rules";
const ANTI = "node(s) didn't match pod anti-affinity rules";
const EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules";

let cluster: FakeCluster;

beforeEach(() => {
  cluster = new FakeCluster();
  for (const [name, labels] of Object.entries({ team: { kind: 'a' }, other: { kind: 'b' }, bare: undefined }))
    cluster.informers.namespaces.put(name, { metadata: { name, ...(labels && { labels }) } } as object);
  for (const [name, zone] of Object.entries({ a1: 'a', a2: 'a', b1: 'b', x1: undefined }))
    cluster.node(name, { labels: { ...(zone && { zone }) } });
});

const placed = (name: string, nodeName: string, settings: PodSettings = {}) =>
  cluster.pod(name, { ...settings, spec: { ...settings.spec, nodeName } });

/** A term about pods of an application, in zones. */
const term = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app } },
  ...more,
});

const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const away = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const preferring = (weight: number, podAffinityTerm: PodAffinityTerm): Affinity => ({
  [weight > 0 ? 'podAffinity' : 'podAntiAffinity']: {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: Math.abs(weight), podAffinityTerm }],
  },
});

async function judged(settings: PodSettings, args: object = {}) {
  const pluginConfig = [{ name: 'InterPodAffinity', args }];
  const [profile] = profilesOf({ pluginConfig }, cluster);
  const pod = cluster.pod('new', settings);
  cluster.remove(`${settings.namespace ?? 'default'}/new`);
  if (!profile) throw new Error('there is no profile');
  const { reasons = {}, scores } = await explain(cluster, pod, profile);
  return { reasons, scores: scores.InterPodAffinity };
}

describe('required affinity', () => {
  it('allows the places of pods that all terms mean, and no node without the label', async () => {
    placed('p', 'a1', { labels: { app: 'web', tier: 'front' } });
    placed('q', 'b1', { labels: { app: 'web' } });
    const { reasons } = await judged({ spec: { affinity: near(term('web')) } });
    expect(reasons).toEqual({ a1: '', a2: '', b1: '', x1: AFFINITY });
    const both = near(term('web'), { topologyKey: 'zone', labelSelector: { matchLabels: { tier: 'front' } } });
    expect((await judged({ spec: { affinity: both } })).reasons).toEqual({
      a1: '',
      a2: '',
      b1: AFFINITY,
      x1: AFFINITY,
    });
  });

  it('lets the first of a group in, where it means itself and no other', async () => {
    const self = { labels: { app: 'web' }, spec: { affinity: near(term('web')) } };
    expect((await judged(self)).reasons).toEqual({ a1: '', a2: '', b1: '', x1: AFFINITY });
    expect((await judged({ ...self, labels: { app: 'db' } })).reasons.a1).toBe(AFFINITY);
    placed('p', 'b1', { labels: { app: 'web' } });
    expect((await judged(self)).reasons).toEqual({ a1: AFFINITY, a2: AFFINITY, b1: '', x1: AFFINITY });
  });

  it('does not count a pod on a node without the label', async () => {
    placed('p', 'x1', { labels: { app: 'web' } });
    expect((await judged({ spec: { affinity: near(term('web')) } })).reasons.a1).toBe(AFFINITY);
  });

  it.each<[string, Partial<PodAffinityTerm>, boolean]>([
    ['no namespaces: its own alone', {}, false],
    ['named ones', { namespaces: ['team'] }, true],
    ['an empty selector: all', { namespaceSelector: {} }, true],
    ['a selector', { namespaceSelector: { matchLabels: { kind: 'a' } } }, true],
    ['a selector of others', { namespaceSelector: { matchLabels: { kind: 'b' } } }, false],
    ['a selector or names', { namespaces: ['team'], namespaceSelector: { matchLabels: { kind: 'b' } } }, true],
    [
      'an empty list with a selector of others',
      { namespaces: [], namespaceSelector: { matchLabels: { kind: 'b' } } },
      false,
    ],
    ['no selector of pods: none', { namespaces: ['team'], labelSelector: undefined as never }, false],
    ['an empty selector of pods: all', { namespaces: ['team'], labelSelector: {} }, true],
  ])('means namespaces by %s', async (_what, more, isMeant) => {
    placed('p', 'a1', { namespace: 'team', labels: { app: 'web' } });
    expect((await judged({ spec: { affinity: near(term('web', more)) } })).reasons.a1).toBe(isMeant ? '' : AFFINITY);
  });

  it('with an empty selector of namespaces means pods in one that is not known yet', async () => {
    placed('p', 'a1', { namespace: 'unknown', labels: { app: 'web' } });
    expect((await judged({ spec: { affinity: near(term('web', { namespaceSelector: {} })) } })).reasons.a1).toBe('');
  });
});

describe('required anti-affinity', () => {
  it('refuses the places of pods that any term means', async () => {
    placed('p', 'a1', { labels: { app: 'web' } });
    placed('q', 'b1', { labels: { app: 'db' } });
    const affinity = away(term('web'), term('db', { topologyKey: 'kubernetes.io/hostname' }));
    expect((await judged({ spec: { affinity } })).reasons).toEqual({ a1: ANTI, a2: ANTI, b1: ANTI, x1: '' });
  });

  it('of pods that are there keeps others away, by the namespace of those and its labels', async () => {
    placed('p', 'a1', { spec: { affinity: away(term('web')) } });
    placed('q', 'b1', { spec: { affinity: away(term('web', { namespaceSelector: { matchLabels: { kind: 'a' } } })) } });
    const labels = { app: 'web' };
    expect((await judged({ labels })).reasons).toEqual({ a1: EXISTING, a2: EXISTING, b1: '', x1: '' });
    expect((await judged({ labels, namespace: 'team' })).reasons).toEqual({ a1: '', a2: '', b1: EXISTING, x1: '' });
    expect((await judged({ labels: { app: 'db' } })).reasons.a1).toBe('');
  });

  it('counts pods on their way out, until they are gone', async () => {
    placed('p', 'a1', { labels: { app: 'web' } });
    await cluster.deletePod({ namespace: 'default', name: 'p' });
    expect((await judged({ spec: { affinity: away(term('web')) } })).reasons.a1).toBe(ANTI);
    cluster.remove('default/p');
    expect((await judged({ spec: { affinity: away(term('web')) } })).reasons.a1).toBe('');
  });
});

describe('preferences', () => {
  it('of the pod count with both signs, and are scaled between the worst and the best', async () => {
    placed('p', 'a1', { labels: { app: 'web' } });
    placed('q', 'b1', { labels: { app: 'db' } });
    const affinity = { ...preferring(30, term('web')), ...preferring(-10, term('db')) };
    expect((await judged({ spec: { affinity } })).scores).toEqual({ a1: 200, a2: 200, b1: 0, x1: 50 });
  });

  it('of pods that are there count too, unless that is off and the pod has none', async () => {
    placed('p', 'a1', { spec: { affinity: preferring(10, term('web')) } });
    placed('q', 'b1', { spec: { affinity: preferring(-10, term('web')) } });
    const pod = { labels: { app: 'web' } };
    expect((await judged(pod)).scores).toEqual({ a1: 200, a2: 200, b1: 0, x1: 100 });
    const ignoring = { ignorePreferredTermsOfExistingPods: true };
    expect((await judged(pod, ignoring)).scores).toBeUndefined();
    const own = { ...pod, spec: { affinity: preferring(1, term('none')) } };
    expect((await judged(own, ignoring)).scores).toEqual({ a1: 200, a2: 200, b1: 0, x1: 100 });
  });

  it('are also required terms of pods that are there, by a weight of the configuration', async () => {
    placed('p', 'a1', { labels: { app: 'web' }, spec: { affinity: near(term('web')) } });
    const pod = { labels: { app: 'web' } };
    expect((await judged(pod)).scores).toEqual({ a1: 200, a2: 200, b1: 0, x1: 0 });
    expect((await judged(pod, { hardPodAffinityWeight: 0 })).scores).toBeUndefined();
  });
});

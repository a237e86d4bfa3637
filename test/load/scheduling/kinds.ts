/** A kind of pods that are scheduled. */
export interface PodKind {
  /** Name of the row. */
  readonly name: string;
  /** Returns the labels and the spec of the pod of a number, beside its container. */
  readonly of: (at: number) => { readonly labels: Readonly<Record<string, string>>; readonly spec: object };
  /** Whether all nodes are full of pods of lower priority, one of which must go for each new pod. */
  readonly preempts?: boolean;
}

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const CONTAINER = { name: 'c', image: 'i' };
const SMALL = { containers: [{ ...CONTAINER, resources: { requests: { cpu: '100m', memory: '128Mi' } } }] };
/** More than half a node: there is no room for two. */
const LARGE = { containers: [{ ...CONTAINER, resources: { requests: { cpu: '20', memory: '1Gi' } } }] };

/** Name of the PriorityClass of pods that preempt others. */
export const HIGH_PRIORITY = 'bench-high';

/** Spec of the pods that are in the way of those of high priority. They end at once, as no node has to end them. */
export const FILLER = { ...LARGE, terminationGracePeriodSeconds: 0 };

const small = (app: string, more: (own: object) => object): PodKind['of'] => {
  const labels = { app };
  const result = { labels, spec: { ...SMALL, ...more({ labelSelector: { matchLabels: labels } }) } };
  return () => result;
};
const near = (topologyKey: string) => (own: object) => ({ topologyKey, ...own });

/** Pods that ask for nothing but resources. */
export const PLAIN: PodKind = { name: 'plain', of: small('plain', () => ({})) };

const SPREAD: PodKind = {
  name: 'spread over zones',
  of: small('spread', (own) => ({
    topologySpreadConstraints: [
      { maxSkew: 5, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', ...own },
      { maxSkew: 5, topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', ...own },
    ],
  })),
};

const AFFINITY: PodKind = {
  name: 'affinity by zone',
  of: small('near', (own) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near(ZONE)(own)] } },
  })),
};

const ANTI_AFFINITY: PodKind = {
  name: 'anti-affinity by host',
  of: small('alone', (own) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near(HOSTNAME)(own)] } },
  })),
};

const PREFERRED: PodKind = {
  name: 'preferred affinity by host',
  of: small('gather', (own) => ({
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: near(HOSTNAME)(own) }],
      },
    },
  })),
};

/** Kinds of pods that are all scheduled on nodes with room. */
export const ROOMY: readonly PodKind[] = [PLAIN, SPREAD, AFFINITY, ANTI_AFFINITY, PREFERRED];

/** All of them in turns. */
export const MIXED: PodKind = {
  name: 'mixed',
  of: (at) => (ROOMY[at % ROOMY.length] as PodKind).of(at),
};

/** Pods that need the place of others. */
export const PREEMPTING: PodKind = {
  name: 'preemption',
  preempts: true,
  of: () => ({ labels: { app: 'high' }, spec: { ...LARGE, priorityClassName: HIGH_PRIORITY } }),
};

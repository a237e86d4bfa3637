import { PRIORITIES } from './random-pods.js';

const config = (name: string, args: object) => ({
  name,
  args: { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: `${name}Args`, ...args },
});

const PACKED = [
  config('NodeResourcesFit', {
    scoringStrategy: {
      type: 'MostAllocated',
      resources: [
        { name: 'cpu', weight: 2 },
        { name: 'memory', weight: 1 },
        { name: 'example.com/gpu', weight: 3 },
      ],
    },
  }),
  config('InterPodAffinity', { hardPodAffinityWeight: 40, ignorePreferredTermsOfExistingPods: true }),
  config('PodTopologySpread', {
    defaultingType: 'List',
    defaultConstraints: [
      { maxSkew: 2, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      { maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
    ],
  }),
  config('NodeAffinity', {
    addedAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'NotIn', values: ['r4'] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 50, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
      ],
    },
  }),
];

const RATIO = [
  config('NodeResourcesFit', {
    ignoredResources: ['example.com/gpu'],
    scoringStrategy: {
      type: 'RequestedToCapacityRatio',
      resources: [
        { name: 'cpu', weight: 3 },
        { name: 'memory', weight: 1 },
      ],
      requestedToCapacityRatio: {
        shape: [
          { utilization: 0, score: 0 },
          { utilization: 40, score: 7 },
          { utilization: 100, score: 10 },
        ],
      },
    },
  }),
  config('NodeResourcesBalancedAllocation', {
    resources: ['cpu', 'memory', 'ephemeral-storage'].map((name) => ({ name, weight: 1 })),
  }),
  config('InterPodAffinity', { hardPodAffinityWeight: 0 }),
];

const RATIO_PLUGINS = {
  multiPoint: { enabled: [{ name: 'TaintToleration', weight: 7 }], disabled: [{ name: 'ImageLocality' }] },
};

/** The configuration of both schedulers: every node is looked at, in three profiles. */
export const CONFIGURATION = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  percentageOfNodesToScore: 100,
  leaderElection: { leaderElect: false },
  profiles: [
    { schedulerName: 'default-scheduler' },
    { schedulerName: 'packed', pluginConfig: PACKED },
    { schedulerName: 'ratio', pluginConfig: RATIO, plugins: RATIO_PLUGINS },
  ],
};

/** The classes of priority that pods name. */
export const PRIORITY_CLASSES = Object.entries(PRIORITIES).map(([name, value]) => ({
  metadata: { name },
  value,
  ...(name === 'polite' && { preemptionPolicy: 'Never' }),
}));

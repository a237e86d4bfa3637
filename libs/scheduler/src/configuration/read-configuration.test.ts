import { namesOf } from '@orch/machinery';
import type { ExtensionPoint } from '@orch/scheduler-plugins';
import { describe, expect, it } from 'vitest';
import { defaultConfiguration, readSchedulerConfiguration } from './read-configuration.js';
import { writtenConfiguration } from './written-configuration.js';

const POINTS: Readonly<Record<string, readonly ExtensionPoint[]>> = {
  PrioritySort: ['queueSort'],
  NodeUnschedulable: ['filter'],
  NodeName: ['filter'],
  TaintToleration: ['filter', 'preScore', 'score'],
  NodeAffinity: ['preFilter', 'filter', 'preScore', 'score'],
  NodePorts: ['preFilter', 'filter'],
  NodeResourcesFit: ['preFilter', 'filter', 'score'],
  VolumeRestrictions: ['preFilter', 'filter'],
  EBSLimits: ['filter'],
  GCEPDLimits: ['filter'],
  NodeVolumeLimits: ['filter'],
  AzureDiskLimits: ['filter'],
  VolumeBinding: ['preFilter', 'filter', 'reserve', 'preBind', 'score'],
  VolumeZone: ['preFilter', 'filter'],
  PodTopologySpread: ['preFilter', 'filter', 'preScore', 'score'],
  InterPodAffinity: ['preFilter', 'filter', 'preScore', 'score'],
  DefaultPreemption: ['postFilter'],
  NodeResourcesBalancedAllocation: ['score'],
  ImageLocality: ['score'],
  DefaultBinder: ['bind'],
  SchedulingGates: ['preEnqueue'],
  Other: ['filter', 'score', 'bind'],
};
const names = namesOf('kubernetes');
const settings = {
  registry: new Map(Object.entries(POINTS).map(([name, points]) => [name, new Set(points)])),
  names,
  features: { volumeCapacityPriority: false },
};
const V1 = 'kubescheduler.config.k8s.io/v1';
const read = (fields: object, apiVersion = V1, features = settings.features) =>
  readSchedulerConfiguration({ apiVersion, kind: 'KubeSchedulerConfiguration', ...fields }, { ...settings, features });
const profile = (fields: object) => read({ profiles: [fields] }).configuration.profiles[0];
const named = (list: readonly { name: string; weight: number }[] | undefined) =>
  list?.map(({ name, weight }) => (weight > 0 ? `${name}=${weight}` : name));

describe('a configuration of the scheduler', () => {
  it('has the defaults of the release', () => {
    const configuration = defaultConfiguration(settings);
    expect(configuration).toMatchObject({
      parallelism: 16,
      percentageOfNodesToScore: 0,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      enableProfiling: true,
      leaderElection: { leaderElect: true, leaseDurationMs: 15_000, renewDeadlineMs: 10_000, resourceLock: 'leases' },
      clientConnection: { qps: -1, burst: 0, contentType: 'application/vnd.kubernetes.protobuf' },
      extenders: [],
    });
    const [only] = configuration.profiles;
    expect(only?.schedulerName).toBe('default-scheduler');
    expect(named(only?.plugins.score)).toEqual([
      'TaintToleration=3',
      'NodeAffinity=2',
      'NodeResourcesFit=1',
      'VolumeBinding=1',
      'PodTopologySpread=2',
      'InterPodAffinity=2',
      'NodeResourcesBalancedAllocation=1',
      'ImageLocality=1',
    ]);
    expect(named(only?.plugins.filter)?.slice(0, 4)).toEqual([
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration',
      'NodeAffinity',
    ]);
    expect([named(only?.plugins.queueSort), named(only?.plugins.bind)]).toEqual([['PrioritySort'], ['DefaultBinder']]);
    expect(only?.args).toEqual({
      DefaultPreemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
      InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
      NodeAffinity: {},
      NodeResourcesBalancedAllocation: {
        resources: [
          { name: 'cpu', weight: 1 },
          { name: 'memory', weight: 1 },
        ],
      },
      NodeResourcesFit: {
        ignoredResources: [],
        ignoredResourceGroups: [],
        scoringStrategy: {
          type: 'LeastAllocated',
          resources: [
            { name: 'cpu', weight: 1 },
            { name: 'memory', weight: 1 },
          ],
          shape: [],
        },
      },
      PodTopologySpread: { defaultConstraints: [], defaultingType: 'System' },
      VolumeBinding: { bindTimeoutSeconds: 600, shape: undefined },
    });
  });

  it('is read from v1beta3 with a warning, and without percentages of profiles', () => {
    const { configuration, warnings } = read({ parallelism: 8 }, 'kubescheduler.config.orch.io/v1beta3');
    expect([configuration.version, configuration.parallelism]).toEqual(['v1beta3', 8]);
    expect(warnings).toEqual(['KubeSchedulerConfiguration v1beta3 is deprecated in v1.26, will be removed in v1.29']);
    const percentage = { profiles: [{ percentageOfNodesToScore: 50 }] };
    expect(read(percentage).configuration.profiles[0]?.percentageOfNodesToScore).toBe(50);
    expect(() => read(percentage, 'kubescheduler.config.k8s.io/v1beta3')).toThrow(
      'unknown field "profiles[0].percentageOfNodesToScore"',
    );
  });

  it('is written so that it can be read again', () => {
    const { configuration } = read({
      extenders: [{ urlPrefix: 'https://a/b', filterVerb: 'f', tlsConfig: { caData: 'YWJj' }, httpTimeout: '1.5s' }],
      profiles: [
        {
          plugins: { score: { disabled: [{ name: 'ImageLocality' }] }, multiPoint: { enabled: [{ name: 'Other' }] } },
          pluginConfig: [
            {
              name: 'NodeResourcesFit',
              args: {
                scoringStrategy: {
                  type: 'RequestedToCapacityRatio',
                  requestedToCapacityRatio: { shape: [{ utilization: 0, score: 10 }] },
                },
              },
            },
          ],
        },
      ],
    });
    const written = JSON.parse(JSON.stringify(writtenConfiguration(configuration, names)));
    expect(written.leaderElection.leaseDuration).toBe('15s');
    expect(readSchedulerConfiguration(written, settings).configuration).toEqual(configuration);
  });

  it.each([
    [
      { colour: 1, profiles: [{ plugins: { filters: {} } }] },
      'unknown field "profiles[0].plugins.filters", unknown field "colour"',
    ],
    [{ parallelism: '4' }, 'parallelism must be a whole number'],
    [{ parallelism: 0 }, 'parallelism: Invalid value: 0: should be an integer value greater than zero'],
    [{ percentageOfNodesToScore: 101 }, 'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]'],
    [{ podInitialBackoffSeconds: 0 }, 'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0'],
    [{ podMaxBackoffSeconds: 0 }, 'must be greater than or equal to PodInitialBackoffSeconds'],
    [{ leaderElection: { leaseDuration: '5s' } }, 'LeaseDuration must be greater than RenewDeadline'],
    [{ leaderElection: { resourceLock: 'endpoints' } }, 'resourceLock value must be "leases"'],
    [{ leaderElection: { leaseDuration: '5' } }, 'leaderElection.leaseDuration: time: missing unit in duration "5"'],
    [{ clientConnection: { burst: -1 } }, 'clientConnection.burst: Invalid value: -1: must be non-negative'],
    [{ profiles: [{ schedulerName: 'a' }, {}] }, 'profiles[1].schedulerName: Required value'],
    [{ profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] }, 'profiles[1].schedulerName: Duplicate value: "a"'],
    [
      {
        profiles: [
          { schedulerName: 'a' },
          { schedulerName: 'b', plugins: { queueSort: { disabled: [{ name: '*' }] } } },
        ],
      },
      'profiles[1].plugins.queueSort: Invalid value',
    ],
    [{ profiles: [{ pluginConfig: [{ name: 'Unknown' }] }] }, 'pluginConfig[0].name: Invalid value: "Unknown"'],
    [
      { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Nope' }] } } }] },
      'profiles[0]: PreEnqueuePlugin "Nope" does not exist',
    ],
    [
      { profiles: [{ plugins: { filter: { enabled: [{ name: 'ImageLocality' }] } } }] },
      'does not extend FilterPlugin plugin',
    ],
    [
      { profiles: [{ plugins: { score: { enabled: [{ name: 'Other' }, { name: 'Other' }] } } }] },
      'already registered as "ScorePlugin"',
    ],
    [{ profiles: [{ plugins: { bind: { disabled: [{ name: '*' }] } } }] }, 'at least one bind plugin is needed'],
    [{ profiles: [{ plugins: { queueSort: { disabled: [{ name: '*' }] } } }] }, 'only one queue sort plugin required'],
    [{ profiles: [{ plugins: { score: { enabled: [{ name: 'SelectorSpread' }] } } }] }, 'SelectorSpread": was invalid'],
    [{ extenders: [{ urlPrefix: 'http://a', prioritizeVerb: 'p' }] }, 'extenders[0].weight: Invalid value: 0'],
    [{ extenders: [{ urlPrefix: 'a' }] }, 'extenders[0].urlPrefix: Invalid value: "a"'],
    [
      {
        extenders: [
          { urlPrefix: 'http://a', bindVerb: 'b' },
          { urlPrefix: 'http://b', bindVerb: 'b' },
        ],
      },
      'only one extender can implement bind',
    ],
    [
      { extenders: [{ urlPrefix: 'http://a', managedResources: [{ name: 'cpu' }, { name: 'kubernetes.io/x' }] }] },
      /cpu": is an invalid extended.*x": is an invalid extended/,
    ],
    [
      { extenders: [{ urlPrefix: 'http://a', tlsConfig: { keyData: '!secret' } }] },
      /^extenders\[0\].tlsConfig.keyData must be base64$/,
    ],
  ])('is refused: %j', (fields, message) => {
    expect(() => read(fields)).toThrow(message);
  });

  it('lets the scheduler ignore the resources that only an extender counts', () => {
    const managedResources = [{ name: 'example.com/gpu', ignoredByScheduler: true }, { name: 'example.com/net' }];
    const { configuration } = read({ extenders: [{ urlPrefix: 'http://a', managedResources }] });
    expect(configuration.profiles[0]?.args.NodeResourcesFit.ignoredResources).toEqual(['example.com/gpu']);
  });

  it.each([undefined, 'text', { kind: 'KubeSchedulerConfiguration' }, { apiVersion: V1, kind: 'Other' }])(
    'is no other document: %j',
    (value) => {
      expect(() => readSchedulerConfiguration(value, settings)).toThrow(/must be an object|no kind/);
    },
  );
});

describe('arguments of plugins', () => {
  const args = (name: string, own: object, features = settings.features) =>
    read({ profiles: [{ pluginConfig: [{ name, args: own }] }] }, V1, features).configuration.profiles[0]?.args;

  it('are defaulted where they are given in part', () => {
    expect(args('DefaultPreemption', { minCandidateNodesAbsolute: 0 })?.DefaultPreemption).toEqual({
      minCandidateNodesPercentage: 10,
      minCandidateNodesAbsolute: 0,
    });
    const resources = [{ name: 'cpu', weight: 3 }, { name: 'example.com/gpu' }];
    expect(
      args('NodeResourcesFit', { scoringStrategy: { type: 'MostAllocated', resources } })?.NodeResourcesFit,
    ).toMatchObject({ scoringStrategy: { resources: [resources[0], { name: 'example.com/gpu', weight: 1 }] } });
    expect(args('VolumeBinding', {}, { volumeCapacityPriority: true })?.VolumeBinding.shape).toEqual([
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ]);
    const addedAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }], matchFields: [] }],
      },
    };
    expect(args('NodeAffinity', { addedAffinity })?.NodeAffinity).toEqual({ addedAffinity });
  });

  it.each([
    [
      'DefaultPreemption',
      { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 },
      'cannot be zero at the same time',
    ],
    ['DefaultPreemption', { minCandidateNodesPercentage: 101 }, 'not in valid range [0, 100]'],
    ['DefaultPreemption', { kind: 'NodeAffinityArgs' }, 'args for plugin DefaultPreemption were not of type'],
    ['DefaultPreemption', { other: 1 }, 'unknown field "profiles[0].pluginConfig[0].args.other"'],
    ['InterPodAffinity', { hardPodAffinityWeight: 101 }, 'args.hardPodAffinityWeight: Invalid value: 101'],
    [
      'NodeResourcesBalancedAllocation',
      { resources: [{ name: 'cpu', weight: 2 }] },
      'weight: Invalid value: 2: must be 1',
    ],
    ['NodeResourcesFit', { scoringStrategy: { type: 'Best' } }, 'Unsupported value: "Best"'],
    [
      'NodeResourcesFit',
      { scoringStrategy: { type: 'RequestedToCapacityRatio' } },
      'at least one point must be specified',
    ],
    ['NodeResourcesFit', { ignoredResourceGroups: ['a/b'] }, "resource group name can't contain '/'"],
    [
      'NodeResourcesFit',
      { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 101 }] } },
      'resource weight of cpu not in valid range (0, 100]',
    ],
    [
      'PodTopologySpread',
      { defaultConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway' }] },
      'when .defaultConstraints are not empty',
    ],
    [
      'PodTopologySpread',
      {
        defaultingType: 'List',
        defaultConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'Never', labelSelector: {} }],
      },
      /maxSkew.*Unsupported value: "Never".*constraint must not define a selector/,
    ],
    ['VolumeBinding', { bindTimeoutSeconds: -1 }, 'should not be a negative value'],
    ['VolumeBinding', { shape: [{ utilization: 0, score: 0 }] }, 'turn on the feature gate VolumeCapacityPriority'],
    [
      'NodeAffinity',
      {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }],
          },
        },
      },
      'nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Is"',
    ],
  ])('of %s are refused: %j', (name, own, message) => {
    expect(() => args(name, own)).toThrow(message);
  });
});

describe('plugins of a profile', () => {
  it('are switched off at one point or at all', () => {
    const changed = profile({
      plugins: {
        score: { disabled: [{ name: 'NodeAffinity' }] },
        filter: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeName' }] },
        multiPoint: { disabled: [{ name: 'ImageLocality' }] },
      },
    });
    expect(named(changed?.plugins.filter)).toEqual(['NodeName']);
    expect(named(changed?.plugins.score)).not.toContain('NodeAffinity=2');
    expect(named(changed?.plugins.score)).not.toContain('ImageLocality=1');
    expect(named(changed?.plugins.preScore)).toContain('NodeAffinity');
  });

  it('of one point come first where they override, and last where they do not', () => {
    const enabled = [{ name: 'Other', weight: 7 }, { name: 'ImageLocality', weight: 5 }, { name: 'NodeAffinity' }];
    const changed = profile({ plugins: { score: { enabled } } });
    const scores = named(changed?.plugins.score);
    expect(scores?.slice(0, 3)).toEqual(['ImageLocality=5', 'NodeAffinity=1', 'TaintToleration=3']);
    expect(scores?.at(-1)).toBe('Other=7');
    expect(scores).toHaveLength(9);
  });

  it('of all points keep their place when they are configured again', () => {
    const enabled = [
      { name: 'Other', weight: 4 },
      { name: 'TaintToleration', weight: 9 },
    ];
    const changed = profile({ plugins: { multiPoint: { enabled } } });
    expect(named(changed?.plugins.score)?.[0]).toBe('TaintToleration=9');
    expect(named(changed?.plugins.score)?.at(-1)).toBe('Other=4');
    expect(named(changed?.plugins.bind)).toEqual(['DefaultBinder', 'Other']);
  });
});

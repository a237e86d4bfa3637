import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

describe('a lease', () => {
  const lease = triedKind('coordination.k8s.io', 'v1', 'leases', {});

  it.each<[Changes, string[]]>([
    [{ 'spec.leaseDurationSeconds': 1 }, []],
    [
      { 'spec.leaseDurationSeconds': 0, 'spec.leaseTransitions': -1 },
      [
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(lease.created(changes)).toEqual(expected);
  });
});

describe('an autoscaler', () => {
  const external = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };
  const autoscaler = triedKind('autoscaling', 'v2', 'horizontalpodautoscalers', {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a' } },
  });

  it('that may stop everything is started from outside', () => {
    const idle = { 'spec.minReplicas': 0 };
    expect(autoscaler.updated(idle, { 'spec.maxReplicas': 4, 'spec.metrics': [external] })).toEqual([]);
    expect(autoscaler.updated(idle, { 'spec.maxReplicas': 4 })).toEqual([
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ]);
  });

  it('reports counts', () => {
    expect(autoscaler.updated({}, { status: { currentReplicas: -1, desiredReplicas: 1 } }, 'status')).toEqual([
      'status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

it('a budget reports counts and conditions', () => {
  const budget = triedKind('policy', 'v1', 'poddisruptionbudgets', { spec: {} });
  const status = { disruptionsAllowed: -1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, conditions: [{}] };
  expect(budget.updated({}, { status }, 'status')).toEqual([
    expect.stringMatching(/^status\.conditions\[0\]\.type: Invalid value: "": name part must be non-empty/),
    expect.stringMatching(/^status\.conditions\[0\]\.type: Invalid value: "": name part must consist/),
    'status.conditions[0].status: Unsupported value: "": supported values: "False", "True", "Unknown"',
    'status.conditions[0].lastTransitionTime: Required value: must be set',
    'status.conditions[0].reason: Required value: must be set',
    'status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0',
  ]);
});

it('a budget has any finalizers', () => {
  const budget = triedKind('policy', 'v1', 'poddisruptionbudgets', { spec: {} });
  expect(budget.created({ 'metadata.finalizers': ['mine'] })).toEqual([]);
});

describe('a namespace', () => {
  const namespace = triedKind('', 'v1', 'namespaces', {});
  const odd = 'name is neither a standard finalizer name nor is it fully qualified';

  it('has finalizers that say whose they are', () => {
    expect(namespace.created({ 'spec.finalizers': ['example.com/f'] })).toEqual([]);
    expect(namespace.created({ 'spec.finalizers': ['mine'] })).toEqual([
      `spec.finalizers: Invalid value: "mine": ${odd}`,
    ]);
    expect(namespace.updated({}, { 'spec.finalizers': ['kubernetes', 'mine'] }, 'finalize')).toEqual([
      `spec.finalizers[1]: Invalid value: "mine": ${odd}`,
    ]);
  });

  it('is active until it is deleted', () => {
    expect(namespace.updated({ status: { phase: 'Active' } }, { 'status.phase': 'Terminating' }, 'status')).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
  });
});

describe('a version of a group', () => {
  const service = triedKind('apiregistration.k8s.io', 'v1', 'apiservices', {
    metadata: { name: 'v1.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { namespace: 'n', name: 's' },
    },
  });

  it.each<[Changes, string[]]>([
    [{}, []],
    [{ 'spec.service': undefined }, []],
    [
      { 'metadata.name': 'other', 'spec.groupPriorityMinimum': 20001, 'spec.versionPriority': 0 },
      [
        'metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.example.com"',
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      ],
    ],
    [
      { 'metadata.name': 'V.', 'spec.group': '', 'spec.version': 'V' },
      [
        'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
        expect.stringMatching(/^spec\.version: Invalid value: "V": a DNS-1035 label/) as never,
      ],
    ],
    [
      { 'spec.service': undefined, 'spec.caBundle': 'AAAA', 'spec.insecureSkipTLSVerify': true },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
    [
      { 'spec.service': { port: 70000 }, 'spec.caBundle': 'AAAA', 'spec.insecureSkipTLSVerify': true },
      [
        'spec.service.namespace: Required value',
        'spec.service.name: Required value',
        'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(service.created(changes)).toEqual(expected);
  });

  it('is available or not, or nobody knows', () => {
    const status = { conditions: [{ type: 'Available', status: 'Yes' }] };
    expect(service.updated({}, { status }, 'status')).toEqual([
      'status.conditions[0].status: Unsupported value: "Yes": supported values: "True", "False", "Unknown"',
    ]);
  });
});

describe('a version that servers store', () => {
  const version = triedKind('internal.apiserver.k8s.io', 'v1alpha1', 'storageversions', {
    metadata: { name: 'apps.deployments' },
    spec: {},
  });
  const server = { apiServerID: 'a', encodingVersion: 'apps/v1', decodableVersions: ['apps/v1', 'v1'] };

  it('is named by its group and resource', () => {
    expect(version.created()).toEqual([]);
    expect(version.created({ 'metadata.name': 'deployments' })).toEqual([
      'metadata.name: Invalid value: "deployments": name must be in the form of <group>.<resource>',
    ]);
  });

  it.each<[object, string[]]>([
    [{ storageVersions: [server], commonEncodingVersion: 'apps/v1' }, []],
    [
      { storageVersions: [server] },
      ['status.commonEncodingVersion: Invalid value: "null": the common encoding version is apps/v1'],
    ],
    [
      { storageVersions: [server], commonEncodingVersion: 'v1' },
      ['status.commonEncodingVersion: Invalid value: "v1": the actual common encoding version is apps/v1'],
    ],
    [
      { storageVersions: [{ ...server, apiServerID: 'A', encodingVersion: '/V' }], commonEncodingVersion: '/V' },
      [
        expect.stringMatching(/^status\.storageVersions\[0\]\.apiServerID: Invalid value: "A": a lowercase/) as never,
        expect.stringMatching(
          /^status\.storageVersions\[0\]\.encodingVersion: Invalid value: "\/V": group part: must be non-empty,version part: a DNS-1035/,
        ) as never,
        'status.storageVersions[0].decodableVersions: Invalid value: []string{"apps/v1", "v1"}: decodableVersions must include encodingVersion /V',
      ],
    ],
    [
      {
        conditions: [
          { type: 'a', status: 'True', reason: 'r', message: 'm' },
          { type: 'a', status: 'True' },
        ],
      },
      [
        'status[1].type: Invalid value: "a": the type of the condition is not unique, it also appears in conditions[0]',
        'status[1].reason: Required value: reason cannot be empty',
        'status[1].message: Required value: message cannot be empty',
      ],
    ],
  ])('%j', (status, expected) => {
    expect(version.updated({}, { status }, 'status')).toEqual(expected);
  });
});

describe('resources that are claimed', () => {
  const GROUP = 'resource.k8s.io';
  const claim = triedKind(GROUP, 'v1alpha2', 'resourceclaims', { spec: { resourceClassName: 'c' } });
  const template = triedKind(GROUP, 'v1alpha2', 'resourceclaimtemplates', {
    spec: { spec: { resourceClassName: 'c' } },
  });
  const resourceClass = triedKind(GROUP, 'v1alpha2', 'resourceclasses', { driverName: 'd' });
  const context = triedKind(GROUP, 'v1alpha2', 'podschedulingcontexts', { spec: {} });
  const consumer = { resource: 'pods', name: 'p', uid: 'u' };
  const allocated = { driverName: 'd', allocation: { shareable: true } };

  it('are of a class', () => {
    expect(claim.created()).toEqual([]);
    expect(template.created()).toEqual([]);
    expect(claim.created({ spec: { allocationMode: 'Odd', parametersRef: {} } })).toEqual([
      expect.stringMatching(/^spec\.resourceClassName: Invalid value: "": a lowercase/),
      'spec.parametersRef.kind: Required value',
      'spec.parametersRef.name: Required value',
      'spec.allocationMode: Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"',
    ]);
    expect(template.created({ 'spec.spec.parametersRef': { kind: 'K' } })).toEqual([
      'spec.spec.parametersRef.name: Required value',
    ]);
    expect(
      resourceClass.created({
        driverName: '',
        suitableNodes: {},
        parametersRef: { kind: 'K', name: 'n', namespace: 'N' },
      }),
    ).toEqual([
      'driverName: Required value',
      expect.stringMatching(/^driverName: Invalid value: "": a lowercase/),
      expect.stringMatching(/^parametersRef\.namespace: Invalid value: "N": a lowercase/),
      'suitableNodes.nodeSelectorTerms: Required value: must have at least one node selector term',
    ]);
  });

  it.each<[object, object, string[]]>([
    [{}, allocated, []],
    [allocated, { ...allocated, reservedFor: [consumer, { ...consumer, uid: 'v' }] }, []],
    [
      {},
      { allocation: {}, reservedFor: [consumer, consumer, {}] },
      [
        'status.driverName: Required value: must be specified when `allocation` is set',
        'status.reservedFor[1].uid: Duplicate value: "u"',
        'status.reservedFor[2].resource: Required value',
        'status.reservedFor[2].name: Required value',
        'status.reservedFor[2].uid: Required value',
        'status.reservedFor: Forbidden: may not be reserved more than once',
      ],
    ],
    [
      {},
      { reservedFor: [consumer], deallocationRequested: true },
      [
        'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
        'status.deallocationRequested: Forbidden: deallocation cannot be requested while `reservedFor` is set',
        'status: Forbidden: `allocation` must be set when `deallocationRequested` is set',
      ],
    ],
    [
      { ...allocated, deallocationRequested: true },
      { ...allocated, deallocationRequested: true, reservedFor: [consumer] },
      [
        'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
      ],
    ],
    [
      { ...allocated, deallocationRequested: true },
      allocated,
      ['status.deallocationRequested: Forbidden: may not be cleared when `allocation` is set'],
    ],
    [
      allocated,
      { ...allocated, allocation: { shareable: false } },
      ['status.allocation: Invalid value: {"shareable":false}: field is immutable'],
    ],
    [
      {},
      { driverName: 'd', allocation: { resourceHandles: [{ driverName: 'd', data: 'x'.repeat(16385) }] } },
      ['status.allocation.resourceHandles[0].data: Too long: may not be longer than 16384'],
    ],
  ])('are allocated, from %j to %j', (before, after, expected) => {
    expect(claim.updated({ status: before }, { status: after }, 'status')).toEqual(expected);
  });

  it('are asked for on nodes, each named once', () => {
    expect(context.created({ 'spec.potentialNodes': ['a', 'a', 'B'] })).toEqual([
      'spec.potentialNodes[1]: Duplicate value: "a"',
      expect.stringMatching(/^spec\.potentialNodes\[2\]: Invalid value: "B": a lowercase/),
    ]);
    const resourceClaims = [
      { name: 'a', unsuitableNodes: Array.from({ length: 129 }, (_, i) => `n${i}`) },
      { name: 'a' },
    ];
    expect(context.updated({}, { status: { resourceClaims } }, 'status')).toEqual([
      'status.claims[0].unsuitableNodes: Too long: may not be longer than 128',
      'status.claims[1]: Duplicate value: "a"',
    ]);
  });
});

describe('a class of runtimes', () => {
  const runtimeClass = triedKind('node.k8s.io', 'v1', 'runtimeclasses', { handler: 'runc' });
  const toleration = { key: 'a', operator: 'Exists' };

  it.each<[Changes, string[]]>([
    [{ 'overhead.podFixed': { cpu: '1', memory: '1Gi' }, 'scheduling.tolerations': [toleration] }, []],
    [
      { handler: '', 'overhead.podFixed': { pods: '1', cpu: '-1' }, 'scheduling.nodeSelector': { 'a b': 'c' } },
      [
        expect.stringMatching(/^handler: Invalid value: "": a lowercase RFC 1123 label/) as never,
        'overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
        'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        expect.stringMatching(/^scheduling\.nodeSelector: Invalid value: "a b": name part must consist/) as never,
      ],
    ],
    [
      { 'scheduling.tolerations': [toleration, toleration] },
      [expect.stringMatching(/^scheduling\.tolerations\[1\]: Duplicate value: /) as never],
    ],
  ])('%j', (changes, expected) => {
    expect(runtimeClass.created(changes)).toEqual(expected);
  });
});

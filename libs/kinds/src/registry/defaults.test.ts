import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

/** What release 1.27 fills in, by kind: what is sent, and what it is then, in part. Read off its `defaults.go` files. */
const DEFAULTS: readonly (readonly [group: string, version: string, plural: string, sent: Changes, filled: object])[] =
  [
    ['', 'v1', 'endpoints', { subsets: [{ ports: [{ port: 1 }] }] }, { subsets: [{ ports: [{ protocol: 'TCP' }] }] }],
    [
      '',
      'v1',
      'limitranges',
      { 'spec.limits': [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Gi' } }] },
      { spec: { limits: [{ default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Gi' } }] } },
    ],
    [
      '',
      'v1',
      'namespaces',
      {},
      { metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } }, status: { phase: 'Active' } },
    ],
    ['', 'v1', 'nodes', { 'status.capacity': { cpu: '1' } }, { status: { allocatable: { cpu: '1' } } }],
    [
      '',
      'v1',
      'persistentvolumes',
      { 'spec.hostPath': { path: '/a' } },
      {
        spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', hostPath: { type: '' } },
        status: { phase: 'Pending' },
      },
    ],
    ['', 'v1', 'persistentvolumes', { 'spec.iscsi': {} }, { spec: { iscsi: { iscsiInterface: 'default' } } }],
    [
      '',
      'v1',
      'persistentvolumes',
      { 'spec.rbd': {} },
      { spec: { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } } },
    ],
    [
      '',
      'v1',
      'persistentvolumes',
      { 'spec.azureDisk': {} },
      { spec: { azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false } } },
    ],
    [
      '',
      'v1',
      'persistentvolumes',
      { 'spec.scaleIO': {} },
      { spec: { scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' } } },
    ],
    ['', 'v1', 'persistentvolumeclaims', {}, { spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } }],
    ['', 'v1', 'secrets', {}, { type: 'Opaque' }],
    [
      '',
      'v1',
      'services',
      { 'spec.ports': [{ port: 80 }] },
      {
        spec: {
          type: 'ClusterIP',
          sessionAffinity: 'None',
          internalTrafficPolicy: 'Cluster',
          ports: [{ protocol: 'TCP', targetPort: 80 }],
        },
      },
    ],
    [
      '',
      'v1',
      'services',
      { 'spec.type': 'LoadBalancer', 'spec.sessionAffinity': 'ClientIP' },
      {
        spec: {
          externalTrafficPolicy: 'Cluster',
          allocateLoadBalancerNodePorts: true,
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        },
      },
    ],
    ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map(
      (plural) =>
        [
          'admissionregistration.k8s.io',
          'v1',
          plural,
          { webhooks: [{ clientConfig: { service: {} }, rules: [{}] }] },
          {
            webhooks: [
              {
                failurePolicy: 'Fail',
                matchPolicy: 'Equivalent',
                timeoutSeconds: 10,
                namespaceSelector: {},
                objectSelector: {},
                clientConfig: { service: { port: 443 } },
                rules: [{ scope: '*' }],
              },
            ],
          },
        ] as const,
    ),
    [
      'admissionregistration.k8s.io',
      'v1',
      'mutatingwebhookconfigurations',
      { webhooks: [{}] },
      { webhooks: [{ reinvocationPolicy: 'Never' }] },
    ],
    [
      'admissionregistration.k8s.io',
      'v1alpha1',
      'validatingadmissionpolicies',
      { 'spec.matchConstraints': {} },
      {
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
        },
      },
    ],
    [
      'admissionregistration.k8s.io',
      'v1alpha1',
      'validatingadmissionpolicybindings',
      { 'spec.matchResources': {} },
      { spec: { matchResources: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} } } },
    ],
    [
      'apiextensions.k8s.io',
      'v1',
      'customresourcedefinitions',
      { 'spec.names.kind': 'Thing' },
      { spec: { names: { singular: 'thing', listKind: 'ThingList' }, conversion: { strategy: 'None' } } },
    ],
    ['apiregistration.k8s.io', 'v1', 'apiservices', { 'spec.service': {} }, { spec: { service: { port: 443 } } }],
    [
      'apps',
      'v1',
      'deployments',
      {},
      {
        spec: {
          replicas: 1,
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        },
      },
    ],
    ['apps', 'v1', 'replicasets', {}, { spec: { replicas: 1 } }],
    [
      'apps',
      'v1',
      'daemonsets',
      {},
      {
        spec: {
          revisionHistoryLimit: 10,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        },
      },
    ],
    [
      'apps',
      'v1',
      'statefulsets',
      { 'spec.volumeClaimTemplates': [{}] },
      {
        spec: {
          replicas: 1,
          revisionHistoryLimit: 10,
          podManagementPolicy: 'OrderedReady',
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
          volumeClaimTemplates: [{ spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } }],
        },
      },
    ],
    [
      'batch',
      'v1',
      'jobs',
      { 'spec.podFailurePolicy': { rules: [{ onPodConditions: [{ type: 'a' }] }] } },
      {
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          suspend: false,
          podFailurePolicy: { rules: [{ onPodConditions: [{ status: 'True' }] }] },
        },
      },
    ],
    [
      'batch',
      'v1',
      'cronjobs',
      {},
      {
        spec: { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
      },
    ],
    ['discovery.k8s.io', 'v1', 'endpointslices', { ports: [{}] }, { ports: [{ name: '', protocol: 'TCP' }] }],
    ...['v1beta2', 'v1beta3'].map(
      (version) =>
        [
          'flowcontrol.apiserver.k8s.io',
          version,
          'flowschemas',
          { 'spec.matchingPrecedence': 0 },
          { spec: { matchingPrecedence: 1000 } },
        ] as const,
    ),
    [
      'flowcontrol.apiserver.k8s.io',
      'v1beta2',
      'prioritylevelconfigurations',
      { 'spec.limited': {} },
      { spec: { limited: { assuredConcurrencyShares: 30, lendablePercent: 0 } } },
    ],
    [
      'flowcontrol.apiserver.k8s.io',
      'v1beta3',
      'prioritylevelconfigurations',
      { 'spec.limited.limitResponse.queuing': {} },
      {
        spec: {
          limited: {
            nominalConcurrencyShares: 30,
            limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
          },
        },
      },
    ],
    [
      'networking.k8s.io',
      'v1',
      'ingressclasses',
      { 'spec.parameters': {} },
      { spec: { parameters: { scope: 'Cluster' } } },
    ],
    [
      'networking.k8s.io',
      'v1',
      'networkpolicies',
      { 'spec.egress': [{ ports: [{}] }] },
      { spec: { policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ protocol: 'TCP' }] }] } },
    ],
    ['networking.k8s.io', 'v1', 'networkpolicies', {}, { spec: { policyTypes: ['Ingress'] } }],
    [
      'rbac.authorization.k8s.io',
      'v1',
      'clusterrolebindings',
      { subjects: [{ kind: 'Group', name: 'g' }] },
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ],
    ['resource.k8s.io', 'v1alpha2', 'resourceclaims', {}, { spec: { allocationMode: 'WaitForFirstConsumer' } }],
    [
      'resource.k8s.io',
      'v1alpha2',
      'resourceclaimtemplates',
      {},
      { spec: { spec: { allocationMode: 'WaitForFirstConsumer' } } },
    ],
    ['scheduling.k8s.io', 'v1', 'priorityclasses', {}, { preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'storage.k8s.io',
      'v1',
      'csidrivers',
      {},
      {
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          storageCapacity: false,
          requiresRepublish: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          volumeLifecycleModes: ['Persistent'],
        },
      },
    ],
    ['storage.k8s.io', 'v1', 'storageclasses', {}, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }],
  ];

describe('what the release fills in', () => {
  it.each(DEFAULTS)('%s/%s %s %j', (group, version, plural, sent, filled) => {
    expect(triedKind(group, version, plural, {}).made(sent)).toMatchObject(filled);
  });

  it('rounds amounts of resources up to thousandths', () => {
    const made = triedKind('', 'v1', 'resourcequotas', {}).made({ 'spec.hard': { cpu: '1100u', memory: '1' } });
    expect(made.spec).toMatchObject({ hard: { cpu: '2m', memory: '1' } });
  });
});

import type { ApiObject } from '@orch/machinery';
import type { FeatureName } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { type Changes, type TriedKind, triedKind } from '../testing/refusals.js';
import { withFeatures } from '../testing/settings.js';

/** A kind under the release's own features, and with one of them the other way. */
interface Tried {
  readonly on: TriedKind;
  readonly off: TriedKind;
}

function tried(feature: FeatureName, group: string, version: string, plural: string, least: ApiObject): Tried {
  const [on, off] = [true, false].map((is) =>
    triedKind(group, version, plural, least, withFeatures({ [feature]: is })),
  );
  if (!on || !off) throw new Error('two of two');
  return { on, off };
}

const at = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((here, name) => (here === undefined ? here : Reflect.get(Object(here), name)), object);

const meta = { metadata: { name: 'a', namespace: 'default' } };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
const selector = { matchLabels: { a: 'b' } };
const stateful = { ...meta, spec: { serviceName: 's', selector, template } };
const claim = { ...meta, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } } };
const volume = {
  metadata: { name: 'a' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    csi: { driver: 'd.test', volumeHandle: 'h' },
  },
};
const job = { ...meta, spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } };
const budget = { ...meta, spec: { minAvailable: 1, selector } };
const autoscaler = {
  ...meta,
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
};
const containerMetric = {
  type: 'ContainerResource',
  containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 50 } },
};
const slice = { ...meta, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] };
const hints = { forZones: [{ name: 'z' }] };
const webhook = {
  name: 'a.b.test',
  clientConfig: { url: 'https://a.test/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const webhooks = { metadata: { name: 'a' }, webhooks: [webhook] };
const conditions = [{ name: 'c', expression: 'true' }];
const rules = [{ rule: 'true' }];
const definition = {
  metadata: { name: 'as.b.test' },
  spec: {
    group: 'b.test',
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const SCHEMA = 'spec.versions.0.schema.openAPIV3Schema';
const policy = { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] };

describe.each<[FeatureName, string, string, string, ApiObject, Changes, string, unknown]>([
  [
    'StatefulSetStartOrdinal',
    'apps',
    'v1',
    'statefulsets',
    stateful,
    { 'spec.ordinals': { start: 1 } },
    'spec.ordinals',
    undefined,
  ],
  [
    'StatefulSetAutoDeletePVC',
    'apps',
    'v1',
    'statefulsets',
    stateful,
    {},
    'spec.persistentVolumeClaimRetentionPolicy',
    undefined,
  ],
  [
    'MaxUnavailableStatefulSet',
    'apps',
    'v1',
    'statefulsets',
    stateful,
    {},
    'spec.updateStrategy.rollingUpdate.maxUnavailable',
    undefined,
  ],
  [
    'JobPodFailurePolicy',
    'batch',
    'v1',
    'jobs',
    job,
    { 'spec.podFailurePolicy': policy },
    'spec.podFailurePolicy',
    undefined,
  ],
  [
    'HPAContainerMetrics',
    'autoscaling',
    'v2',
    'horizontalpodautoscalers',
    autoscaler,
    { 'spec.metrics': [containerMetric] },
    'spec.metrics.0.containerResource',
    undefined,
  ],
  [
    'PDBUnhealthyPodEvictionPolicy',
    'policy',
    'v1',
    'poddisruptionbudgets',
    budget,
    { 'spec.unhealthyPodEvictionPolicy': 'AlwaysAllow' },
    'spec.unhealthyPodEvictionPolicy',
    undefined,
  ],
  [
    'TopologyAwareHints',
    'discovery.k8s.io',
    'v1',
    'endpointslices',
    slice,
    { 'endpoints.0.hints': hints },
    'endpoints.0.hints',
    undefined,
  ],
  [
    'CSINodeExpandSecret',
    '',
    'v1',
    'persistentvolumes',
    volume,
    { 'spec.csi.nodeExpandSecretRef': { name: 's', namespace: 'n' } },
    'spec.csi.nodeExpandSecretRef',
    undefined,
  ],
  [
    'AdmissionWebhookMatchConditions',
    'admissionregistration.k8s.io',
    'v1',
    'validatingwebhookconfigurations',
    webhooks,
    { 'webhooks.0.matchConditions': conditions },
    'webhooks.0.matchConditions',
    undefined,
  ],
  [
    'CustomResourceValidationExpressions',
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    definition,
    { [`${SCHEMA}.x-kubernetes-validations`]: rules },
    `${SCHEMA}.x-kubernetes-validations`,
    undefined,
  ],
  [
    'SELinuxMountReadWriteOncePod',
    'storage.k8s.io',
    'v1',
    'csidrivers',
    { metadata: { name: 'a' }, spec: {} },
    {},
    'spec.seLinuxMount',
    undefined,
  ],
  [
    'AnyVolumeDataSource',
    '',
    'v1',
    'persistentvolumeclaims',
    claim,
    { 'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'b' } },
    'spec.dataSourceRef',
    undefined,
  ],
  [
    'CrossNamespaceVolumeDataSource',
    '',
    'v1',
    'persistentvolumeclaims',
    claim,
    { 'spec.dataSourceRef': { kind: 'PersistentVolumeClaim', name: 'b', namespace: 'n' } },
    'spec.dataSourceRef',
    undefined,
  ],
])('%s', (feature, group, version, plural, least, changes, path, without) => {
  const { on, off } = tried(feature, group, version, plural, least);

  it(`decides whether new ${plural} have ${path}`, () => {
    expect(at(on.stored(changes), path)).toBeDefined();
    expect(on.created(changes)).toEqual([]);
    expect(at(off.stored(changes), path)).toBe(without);
    // A metric whose source is taken away lacks it.
    if (feature !== 'HPAContainerMetrics') expect(off.created(changes)).toEqual([]);
  });

  it('leaves what is stored as it is', () => {
    const had = on.stored(changes);
    const labelled = off.rewritten(had, { 'metadata.labels': { c: 'd' } });
    expect(at(labelled, path)).toEqual(at(had, path));
    const bare = off.stored(changes);
    expect(at(off.rewritten(bare, changes), path)).toBe(without);
  });
});

describe('without the feature', () => {
  it('AnyVolumeDataSource, the older name of a source is not written under the newer one', () => {
    const { off } = tried('AnyVolumeDataSource', '', 'v1', 'persistentvolumeclaims', claim);
    const dataSource = { kind: 'PersistentVolumeClaim', name: 'b' };
    expect(at(off.stored({ 'spec.dataSource': dataSource }), 'spec.dataSource')).toEqual(dataSource);
  });

  it('ReadWriteOncePod, volumes are not for one pod only', () => {
    const modes = { 'spec.accessModes': ['ReadWriteOncePod'] };
    for (const [plural, least] of [
      ['persistentvolumes', volume],
      ['persistentvolumeclaims', claim],
    ] as const) {
      const { on, off } = tried('ReadWriteOncePod', '', 'v1', plural, least);
      expect(on.created(modes)).toEqual([]);
      expect(off.created(modes)).toEqual([
        'spec.accessModes: Unsupported value: "ReadWriteOncePod": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"',
      ]);
      expect(off.updated(modes, { 'metadata.labels': { a: 'b' } })).toEqual([]);
    }
  });

  it('RetroactiveDefaultStorageClass, a claim without a class stays without one', () => {
    const { on, off } = tried('RetroactiveDefaultStorageClass', '', 'v1', 'persistentvolumeclaims', claim);
    const named = { 'spec.storageClassName': 'fast' };
    expect(on.updated({}, named)).toEqual([]);
    expect(off.updated({}, named)).toEqual([expect.stringContaining('spec is immutable after creation')]);
  });

  it('ElasticIndexedJob, the completions of an indexed Job stay as they are', () => {
    const { on, off } = tried('ElasticIndexedJob', 'batch', 'v1', 'jobs', job);
    const before = { 'spec.completionMode': 'Indexed', 'spec.completions': 2, 'spec.parallelism': 2 };
    const after = { 'spec.completions': 3, 'spec.parallelism': 3 };
    expect(on.updated(before, after)).toEqual([]);
    expect(off.updated(before, after)).toEqual(['spec.completions: Invalid value: 3: field is immutable']);
  });

  it('HPAContainerMetrics, a metric that lacks its source is told why', () => {
    const { on, off } = tried('HPAContainerMetrics', 'autoscaling', 'v2', 'horizontalpodautoscalers', autoscaler);
    const text = 'Required value: must populate information for the given metric source';
    const bare = { 'spec.metrics': [{ type: 'ContainerResource' }] };
    expect(on.created(bare)).toEqual([`spec.metrics[0].containerResource: ${text}`]);
    expect(off.created(bare)).toEqual([
      `spec.metrics[0].containerResource: ${text} (only allowed when HPAContainerMetrics feature is enabled)`,
    ]);
  });
});

describe('with the feature', () => {
  it('MaxUnavailableStatefulSet, some but not all pods may be down at once', () => {
    const { on } = tried('MaxUnavailableStatefulSet', 'apps', 'v1', 'statefulsets', stateful);
    const field = 'spec.updateStrategy.rollingUpdate.maxUnavailable';
    const refused = (maxUnavailable: unknown) =>
      on.created({ 'spec.updateStrategy': { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } } });
    expect(refused('50%')).toEqual([]);
    expect(refused(0)).toEqual([
      `${field}: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: cannot be 0`,
    ]);
    expect(refused('0%')).toEqual([expect.stringContaining('cannot be 0')]);
    expect(refused('101%')).toEqual([expect.stringContaining('must not be greater than 100%')]);
    expect(refused(-1)).toEqual([expect.stringContaining('must be greater than or equal to 0')]);
    expect(refused('some')).toEqual([
      expect.stringContaining('a valid percent string'),
      expect.stringContaining('cannot be 0'),
    ]);
  });

  it('HPAScaleToZero, nothing may be left running', () => {
    const { on, off } = tried('HPAScaleToZero', 'autoscaling', 'v2', 'horizontalpodautoscalers', autoscaler);
    const external = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };
    const none = { 'spec.minReplicas': 0, 'spec.metrics': [external] };
    expect(on.created(none)).toEqual([]);
    expect(off.created(none)).toEqual(['spec.minReplicas: Invalid value: 0: must be greater than or equal to 1']);
  });

  it('RecoverVolumeExpansionFailure, a claim takes back what it did not get', () => {
    const { on, off } = tried('RecoverVolumeExpansionFailure', '', 'v1', 'persistentvolumeclaims', claim);
    const bound = { status: { phase: 'Bound', capacity: { storage: '1Gi' } } };
    const ask = (storage: string) => ({ 'spec.resources': { requests: { storage } } });
    expect(on.updated(bound, ask('1536Mi'))).toEqual([]);
    expect(on.updated(bound, ask('1Gi'))).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
    expect(off.updated(bound, ask('1536Mi'))).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    ]);
  });

  it('RecoverVolumeExpansionFailure, status says how an expansion gets on', () => {
    const { on, off } = tried('RecoverVolumeExpansionFailure', '', 'v1', 'persistentvolumeclaims', claim);
    const state = { 'status.resizeStatus': 'NodeExpansionFailed', 'status.allocatedResources': { storage: '1Gi' } };
    expect(on.rewritten(on.stored(), state, 'status').status).toMatchObject({ resizeStatus: 'NodeExpansionFailed' });
    expect(off.rewritten(off.stored(), state, 'status').status).toEqual({ phase: 'Pending' });
    expect(
      on.updated(
        {},
        { 'status.resizeStatus': 'Odd', 'status.allocatedResources': { cpu: '1', storage: '-1' } },
        'status',
      ),
    ).toEqual([
      expect.stringContaining('status.resizeStatus: Unsupported value: "Odd"'),
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
      'status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity',
    ]);
  });
});

describe('containers with all rights', () => {
  const pod = { ...meta, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
  const modest = { ...withFeatures({}), allowPrivileged: false };
  const privileged = { 'spec.containers.0.securityContext': { privileged: true } };

  it('are refused unless they are allowed, also in templates', () => {
    expect(triedKind('', 'v1', 'pods', pod).created(privileged)).toEqual([]);
    expect(triedKind('', 'v1', 'pods', pod, modest).created(privileged)).toEqual([
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    ]);
    const set = triedKind('apps', 'v1', 'daemonsets', { ...meta, spec: { selector, template } }, modest);
    expect(set.created({ 'spec.template.spec.containers.0.securityContext': { privileged: true } })).toEqual([
      'spec.template.spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    ]);
  });

  it('are refused as processes of the host as well', () => {
    const process = {
      'spec.securityContext': { windowsOptions: { hostProcess: true } },
      'spec.hostNetwork': true,
      'spec.os': { name: 'windows' },
    };
    expect(triedKind('', 'v1', 'pods', pod).created(process)).toEqual([]);
    expect(triedKind('', 'v1', 'pods', pod, modest).created(process)).toEqual([
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ]);
  });
});

import type { JsonValue } from '@orch/machinery';
import { CERTIFICATE_REQUEST } from '../support/certificate-request.js';
import type { GeneratedObject } from './arbitrary-object.js';

type Json = { [name: string]: JsonValue };

const LABELS = { app: 'a' };
const SELECTOR = { matchLabels: LABELS };
const CONTAINER = { name: 'c', image: 'example.com/c' };
const POD = { containers: [CONTAINER] };
const ENDING = { metadata: { labels: LABELS }, spec: { ...POD, restartPolicy: 'Never' } };
const LASTING = { metadata: { labels: LABELS }, spec: POD };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const POD_SPEC = {
  ...POD,
  restartPolicy: 'Never',
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['10.0.0.1'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example.com'] }],
  volumes: [
    { name: 'a', projected: { sources: [{ secret: { name: 's', items: [{ key: 'k', path: 'p' }] } }] } },
    { name: 'b', ephemeral: { volumeClaimTemplate: { spec: CLAIM } } },
  ],
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: SELECTOR },
  ],
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: SELECTOR }],
    },
  },
  securityContext: { runAsUser: 1, fsGroup: 1, seccompProfile: { type: 'RuntimeDefault' } },
  readinessGates: [{ conditionType: 'example.com/a' }],
  overhead: { cpu: '1' },
};

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const WEBHOOK = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [RULE],
};
const FLOW_RULE = {
  subjects: [{ kind: 'Group', group: { name: 'g' } }],
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }],
};

/** Members that the rules of a kind require outside of its spec. They replace generated ones as well. */
const ASKED_BESIDE: Readonly<Record<string, Json>> = {
  CSIStorageCapacity: { storageClassName: 'c', nodeTopology: SELECTOR, capacity: '1Gi' },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ name: 'a', port: 80 }] },
  Endpoints: { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  MutatingWebhookConfiguration: { webhooks: [WEBHOOK] },
  Node: { status: { capacity: { cpu: '4' } } },
  RuntimeClass: { handler: 'runc', overhead: { podFixed: { cpu: '1' } }, scheduling: { nodeSelector: LABELS } },
  StorageClass: {
    provisioner: 'example.com/p',
    reclaimPolicy: 'Retain',
    volumeBindingMode: 'Immediate',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
  },
  ValidatingWebhookConfiguration: { webhooks: [WEBHOOK] },
};

/**
 * What the rules of a kind ask of its spec. These members replace generated ones, which would hardly ever mean anything;
 * the others stay as they were made.
 */
const ASKED: Readonly<Record<string, (spec: Json) => Json>> = {
  CSIDriver: () => ({
    fsGroupPolicy: 'File',
    volumeLifecycleModes: ['Persistent'],
    tokenRequests: [{ audience: 'a' }],
  }),
  CSINode: () => ({ drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['zone'] }] }),
  CertificateSigningRequest: () => ({
    request: CERTIFICATE_REQUEST,
    signerName: 'example.com/s',
    usages: ['client auth'],
    expirationSeconds: 600,
  }),
  FlowSchema: () => ({
    matchingPrecedence: 5,
    priorityLevelConfiguration: { name: 'p' },
    distinguisherMethod: { type: 'ByUser' },
    rules: [FLOW_RULE],
  }),
  IngressClass: () => ({ controller: 'example.com/c' }),
  Lease: () => ({ leaseDurationSeconds: 15 }),
  LimitRange: () => ({ limits: [{ type: 'Pod', max: { cpu: '4' } }] }),
  Namespace: () => ({ finalizers: [] }),
  Node: () => ({ taints: [{ key: 'a', effect: 'NoSchedule' }], podCIDRs: ['10.0.0.0/24'], podCIDR: '10.0.0.0/24' }),
  PriorityLevelConfiguration: () => ({ type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }),
  ResourceQuota: () => ({ hard: { pods: '4' }, scopes: ['BestEffort'] }),
  VolumeAttachment: () => ({ attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } }),
  CronJob: () => ({
    schedule: '@hourly',
    timeZone: 'UTC',
    concurrencyPolicy: 'Forbid',
    jobTemplate: { spec: { template: ENDING } },
  }),
  DaemonSet: () => ({ selector: SELECTOR, template: LASTING, updateStrategy: { type: 'OnDelete' } }),
  Deployment: () => ({
    selector: SELECTOR,
    template: LASTING,
    strategy: { type: 'Recreate' },
    progressDeadlineSeconds: 2 ** 31 - 1,
  }),
  HorizontalPodAutoscaler: () => ({ minReplicas: 1, maxReplicas: 2, scaleTargetRef: { kind: 'A', name: 'a' } }),
  Ingress: () => ({ defaultBackend: { service: { name: 'a', port: { number: 80 } } }, rules: [], tls: [] }),
  Job: () => ({ template: ENDING, completions: 1, completionMode: 'NonIndexed', parallelism: 1 }),
  NetworkPolicy: () => ({ podSelector: SELECTOR, ingress: [{}], egress: [] }),
  PersistentVolume: () => ({ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } }),
  PersistentVolumeClaim: () => ({ ...CLAIM, selector: SELECTOR }),
  PodDisruptionBudget: () => ({ selector: SELECTOR, minAvailable: 1 }),
  Pod: () => POD_SPEC,
  ReplicaSet: () => ({ selector: SELECTOR, template: LASTING }),
  ReplicationController: () => ({ selector: LABELS, template: LASTING }),
  Service: () => ({
    type: 'ClusterIP',
    ports: [{ port: 80 }],
    clusterIP: '',
    clusterIPs: [],
    externalIPs: [],
    sessionAffinity: 'None',
  }),
  // The pods of a StatefulSet are not looked into: here anything of a pod passes through.
  StatefulSet: (spec) => ({
    selector: SELECTOR,
    template: lasting(spec.template),
    updateStrategy: { type: 'OnDelete' },
    podManagementPolicy: 'Parallel',
  }),
};

/** Members that hold only together with others, which chance does not bring about. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  IngressClass: ['parameters'],
  Node: ['configSource'],
  ResourceQuota: ['scopeSelector'],
  HorizontalPodAutoscaler: ['metrics', 'behavior', 'targetCPUUtilizationPercentage'],
  Pod: [
    ...['initContainers', 'ephemeralContainers', 'schedulingGates', 'resourceClaims', 'os', 'hostUsers'],
    ...['activeDeadlineSeconds', 'nodeName', 'hostname', 'subdomain', 'serviceAccountName', 'serviceAccount'],
    ...['priorityClassName', 'runtimeClassName', 'preemptionPolicy', 'shareProcessNamespace', 'nodeSelector'],
  ],
  Job: ['selector', 'manualSelector', 'podFailurePolicy'],
  PersistentVolume: ['nodeAffinity', 'claimRef', 'storageClassName'],
  PersistentVolumeClaim: ['storageClassName', 'dataSource', 'dataSourceRef'],
  PodDisruptionBudget: ['maxUnavailable'],
  Service: [
    'externalName',
    'externalTrafficPolicy',
    'healthCheckNodePort',
    'allocateLoadBalancerNodePorts',
    'loadBalancerClass',
    'loadBalancerSourceRanges',
    'ipFamilies',
    'ipFamilyPolicy',
    'sessionAffinityConfig',
  ],
};

/** A generated object with what the rules of its kind ask for. */
export function meaningful(object: GeneratedObject): GeneratedObject {
  const beside = { ...object, ...ASKED_BESIDE[object.kind] };
  const asked = ASKED[object.kind];
  if (!asked) return beside;
  const spec = isJson(object.spec) ? object.spec : {};
  const kept = Object.entries(spec)
    .filter(([name]) => !LEFT_OUT[object.kind]?.includes(name))
    .map(([name, value]): [string, JsonValue] => [name, typeof value === 'number' ? Math.abs(value) : (value ?? null)]);
  const made: Json = { ...Object.fromEntries(kept), ...asked(spec) };
  const drivers = Object.keys(made).filter((name) => object.kind === 'PersistentVolume' && isSource(name, made[name]));
  for (const name of drivers) delete made[name];
  return { ...beside, spec: made };
}

/** A volume lies in one place. */
const isSource = (name: string, value: JsonValue | undefined): boolean =>
  isJson(value) && name !== 'capacity' && name !== 'hostPath';

function lasting(template: JsonValue | undefined): Json {
  const { spec, metadata: _metadata, ...rest } = isJson(template) ? template : {};
  const { activeDeadlineSeconds: _deadline, ...pod } = isJson(spec) ? spec : {};
  return { ...rest, metadata: { labels: LABELS }, spec: { ...pod, restartPolicy: 'Always' } } as Json;
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

import type { JsonValue } from '@orch/machinery';
import type { GeneratedObject } from './arbitrary-object.js';

type Json = { [name: string]: JsonValue };

const LABELS = { app: 'a' };
const SELECTOR = { matchLabels: LABELS };
const CONTAINER = { name: 'c', image: 'example.com/c' };
const POD = { containers: [CONTAINER] };
const ENDING = { metadata: { labels: LABELS }, spec: { ...POD, restartPolicy: 'Never' } };
const LASTING = { metadata: { labels: LABELS }, spec: POD };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/**
 * What the rules of a kind ask of its spec. These members replace generated ones, which would hardly ever mean anything;
 * the others stay as they were made.
 */
const ASKED: Readonly<Record<string, (spec: Json) => Json>> = {
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
  Pod: () => ({ ...POD, restartPolicy: 'Never', dnsPolicy: 'Default' }),
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
  HorizontalPodAutoscaler: ['metrics', 'behavior', 'targetCPUUtilizationPercentage'],
  Pod: [
    ...[
      'initContainers',
      'ephemeralContainers',
      'volumes',
      'tolerations',
      'topologySpreadConstraints',
      'schedulingGates',
    ],
    ...['activeDeadlineSeconds', 'nodeName', 'hostname', 'subdomain', 'serviceAccountName', 'serviceAccount'],
    ...['priorityClassName', 'runtimeClassName', 'securityContext'],
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
  const asked = ASKED[object.kind];
  if (!asked) return object;
  const spec = isJson(object.spec) ? object.spec : {};
  const kept = Object.entries(spec)
    .filter(([name]) => !LEFT_OUT[object.kind]?.includes(name))
    .map(([name, value]): [string, JsonValue] => [name, typeof value === 'number' ? Math.abs(value) : (value ?? null)]);
  const made: Json = { ...Object.fromEntries(kept), ...asked(spec) };
  const drivers = Object.keys(made).filter((name) => object.kind === 'PersistentVolume' && isSource(name, made[name]));
  for (const name of drivers) delete made[name];
  return { ...object, spec: made };
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

import type { JsonObject } from '@orch/machinery';

/** A kind of object that is written often, with one such object as its writers send it. */
interface WarmUpObject {
  /** Group, with its name in the profile `orch`. */
  readonly group: string;
  /** Version that clients speak. */
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  /** Whether its status is written on its own. */
  readonly hasStatus?: boolean;
  /** Members beside type and name. */
  readonly content: JsonObject;
}

const POD_SPEC = {
  containers: [
    {
      name: 'main',
      image: 'registry.example.com/main:1',
      ports: [{ containerPort: 8080 }],
      env: [{ name: 'MODE', value: 'warm-up' }],
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      readinessProbe: { httpGet: { path: '/', port: 8080 } },
      volumeMounts: [{ name: 'work', mountPath: '/work' }],
    },
  ],
  volumes: [{ name: 'work', emptyDir: {} }],
};
const LABELS = { 'app.kubernetes.io/name': 'warm-up' };
const TIME = '2024-01-01T00:00:00.000000Z';
const CONDITION = { status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z', reason: 'WarmUp', message: 'warm-up' };

/** Objects of the kinds that most writes of a cluster are of, the most frequent first. */
export const WARM_UP_OBJECTS: readonly WarmUpObject[] = [
  {
    ...{ group: 'coordination.orch.io', version: 'v1', resource: 'leases' },
    content: { spec: { holderIdentity: 'warm-up', leaseDurationSeconds: 15, renewTime: TIME } },
  },
  {
    ...{ group: '', version: 'v1', resource: 'pods', hasStatus: true },
    content: { spec: POD_SPEC, status: { phase: 'Running', conditions: [{ type: 'Ready', ...CONDITION }] } },
  },
  {
    ...{ group: '', version: 'v1', resource: 'nodes', hasStatus: true },
    content: {
      spec: { podCIDR: '10.1.0.0/24' },
      status: { capacity: { cpu: '4', memory: '8Gi' }, conditions: [{ type: 'Ready', ...CONDITION }] },
    },
  },
  {
    ...{ group: '', version: 'v1', resource: 'configmaps' },
    content: { data: { text: 'x'.repeat(512), mode: 'warm-up' } },
  },
  {
    ...{ group: '', version: 'v1', resource: 'events' },
    content: {
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'warm-up' },
      ...{ reason: 'WarmUp', message: 'warm-up', type: 'Normal', count: 1, source: { component: 'warm-up' } },
    },
  },
  {
    ...{ group: 'discovery.orch.io', version: 'v1', resource: 'endpointslices' },
    content: {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.2'], conditions: { ready: true }, nodeName: 'warm-up' }],
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  },
  {
    ...{ group: 'apps', version: 'v1', resource: 'deployments', hasStatus: true },
    content: {
      spec: {
        ...{ replicas: 1, selector: { matchLabels: LABELS } },
        template: { metadata: { labels: LABELS }, spec: POD_SPEC },
      },
    },
  },
];

/** Labels of all of them. */
export const WARM_UP_LABELS: Readonly<Record<string, string>> = LABELS;

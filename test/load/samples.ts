import { deployment, pod } from '@orch/machinery/testing';
import { FILLING } from './resource.js';

/** Kinds of objects that clients of a cluster write most. */
export type SampleKind = 'ConfigMap' | 'Lease' | 'Deployment' | 'Pod' | 'Node' | 'Event' | 'EndpointSlice';
/** Form of the bodies of requests and answers. */
export type Wire = 'json' | 'protobuf';

/** Objects of a load that are encoded once, with a name that each request replaces. */
export interface Sample {
  readonly kind: SampleKind;
  readonly wire: Wire;
  /** Part that updates are of; the object itself when absent. */
  readonly subresource?: 'status';
}

/** Begin of every name; no other text of a sample has it. */
export const NAME_START = 'bench-';
/** Namespace of all samples. */
export const SAMPLE_NAMESPACE = 'bench';
/** Digits of the number of an object, at the end of its name. */
export const NUMBER_LENGTH = 8;
const TAG_LENGTH = 9;
/** All names have one length, so that a name can be replaced in place. */
export const NAME_LENGTH = NAME_START.length + TAG_LENGTH + 1 + NUMBER_LENGTH;

/** Returns what comes before the number in names. @param tag up to nine characters, distinct for each set of objects */
export const samplePrefix = (tag: string): string => `${NAME_START}${tag.padStart(TAG_LENGTH, '0')}`;

/** Returns a name of an object. */
export const sampleName = (prefix: string, object: number): string =>
  `${prefix}-${object.toString().padStart(NUMBER_LENGTH, '0')}`;

interface Made {
  readonly group: string;
  readonly plural: string;
  readonly isClusterScoped?: boolean;
  /** Size of the object as the client sends it, for titles. */
  readonly size?: string;
  /** The members beside `apiVersion`, `kind` and `metadata`, and of `metadata` beside the name. Each variant differs. */
  of(variant: number): { readonly metadata?: object; readonly status?: object; readonly [member: string]: unknown };
}

/** A time of a second, and one of a microsecond. */
const second = (variant: number): string => `2026-01-02T03:04:${(10 + variant).toString()}Z`;
const micro = (variant: number): string => `2026-01-02T03:04:05.${(100_000 + variant).toString()}Z`;

/** What a kubelet reports of a condition. */
const condition = (type: string, status: string, variant: number) => ({
  ...{ type, status, lastHeartbeatTime: second(variant), lastTransitionTime: second(0) },
  ...{ reason: `Kubelet${type}`, message: `kubelet says that ${type} is ${status}` },
});

/** A web server of one container, 2 KiB with all that the server would fill in. */
function webDeployment(variant: number) {
  const { metadata, spec } = deployment('', 0) as {
    metadata: { labels: object };
    spec: { template: { spec: object } };
  };
  const { template } = spec;
  const { containers } = template.spec as { containers: { image: string }[] };
  const container = { ...containers[0], image: `registry.example.com/team/web:1.2.${variant}` };
  const changed = { ...template, spec: { ...template.spec, containers: [container] } };
  return { metadata: { labels: metadata.labels }, spec: { ...spec, template: changed } };
}

/** A pod of one container, with what its service account would add, which updates must name again. */
function webPod(variant: number) {
  const { spec } = pod(1, { variables: 12 }) as { spec: object };
  const account = { serviceAccount: 'default', serviceAccountName: 'default', automountServiceAccountToken: false };
  const metadata = { labels: { app: 'web' }, annotations: { 'example.com/change': variant.toString() } };
  const container = { name: 'container-0', image: 'registry.example.com/team/image-0:1', imageID: 'sha256:0123abcd' };
  return {
    metadata,
    spec: { ...spec, ...account },
    status: {
      ...{ phase: 'Running', hostIP: '10.0.0.1', podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] },
      startTime: second(0),
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        ...{ type, status: 'True', lastTransitionTime: second(variant) },
      })),
      containerStatuses: [
        {
          ...container,
          ...{ ready: true, started: true, restartCount: variant, containerID: 'containerd://0123abcd' },
          state: { running: { startedAt: second(variant) } },
        },
      ],
    },
  };
}

const NODE_STATUS = {
  capacity: { cpu: '32', memory: '64Gi', pods: '110', 'ephemeral-storage': '100Gi' },
  allocatable: { cpu: '31', memory: '60Gi', pods: '110', 'ephemeral-storage': '90Gi' },
  addresses: [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'Hostname', address: 'node-0' },
  ],
  daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
  nodeInfo: {
    ...{ machineID: 'm0', systemUUID: 'u0', bootID: 'b0', kernelVersion: '6.1.0', osImage: 'Linux' },
    ...{ containerRuntimeVersion: 'containerd://1.7.0', kubeletVersion: 'v1.27.16', kubeProxyVersion: 'v1.27.16' },
    ...{ operatingSystem: 'linux', architecture: 'amd64' },
  },
};

const MADE: Readonly<Record<SampleKind, Made>> = {
  ConfigMap: {
    ...{ group: '', plural: 'configmaps', size: '1 KiB' },
    of: (variant) => ({ metadata: { labels: { app: 'web' } }, data: { filling: FILLING, change: variant.toString() } }),
  },
  Lease: {
    ...{ group: 'coordination.k8s.io', plural: 'leases' },
    of: (variant) => ({
      spec: { holderIdentity: 'node-0', leaseDurationSeconds: 40, acquireTime: micro(0), renewTime: micro(variant) },
    }),
  },
  Deployment: { group: 'apps', plural: 'deployments', size: '2 KiB', of: webDeployment },
  Pod: { group: '', plural: 'pods', size: '1.4 KiB', of: webPod },
  Node: {
    ...{ group: '', plural: 'nodes', isClusterScoped: true },
    of: (variant) => ({
      metadata: { labels: { 'kubernetes.io/hostname': 'node-0', 'kubernetes.io/os': 'linux' } },
      status: {
        ...NODE_STATUS,
        conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) =>
          condition(type, type === 'Ready' ? 'True' : 'False', variant),
        ),
      },
    }),
  },
  Event: {
    ...{ group: '', plural: 'events' },
    of: () => ({
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: SAMPLE_NAMESPACE,
        name: 'web-0',
        uid: '00000000-0000-4000-8000-000000000000',
      },
      ...{
        reason: 'Pulled',
        message: 'Container image "registry.example.com/team/web:1.2" already present on machine',
      },
      ...{ source: { component: 'kubelet', host: 'node-0' }, type: 'Normal', count: 1 },
      ...{ firstTimestamp: second(0), lastTimestamp: second(0), reportingComponent: '', reportingInstance: '' },
    }),
  },
  EndpointSlice: {
    ...{ group: 'discovery.k8s.io', plural: 'endpointslices' },
    of: () => ({
      metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: Array.from({ length: 10 }, (_, at) => ({
        ...{ addresses: [`10.1.0.${at + 1}`], conditions: { ready: true, serving: true, terminating: false } },
        ...{ nodeName: `node-${at}`, targetRef: { kind: 'Pod', name: `web-${at}` } },
      })),
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    }),
  },
};

type Part = Pick<Sample, 'kind' | 'subresource'>;

/** Returns an object as a client sends it; a status is sent to its subresource alone. @param version the one that it replaces */
export function sampleObject({ kind, subresource }: Part, name: string, variant: number, version?: string) {
  const { metadata, status, ...others } = MADE[kind].of(variant);
  const members = { ...others, ...(subresource && { status }) };
  const { group } = MADE[kind];
  const named = { name, ...(version !== undefined && { resourceVersion: version }) };
  return { apiVersion: group ? `${group}/v1` : 'v1', kind, metadata: { ...named, ...metadata }, ...members };
}

/** Returns the path of the collection of a kind in {@link SAMPLE_NAMESPACE}. */
export function samplePath(kind: SampleKind): string {
  const { group, plural, isClusterScoped } = MADE[kind];
  return `${group ? `/apis/${group}/v1` : '/api/v1'}${isClusterScoped ? '' : `/namespaces/${SAMPLE_NAMESPACE}`}/${plural}`;
}

/** Returns the name of a sample in titles, as `Deployment of 2 KiB` or `pods/status, protobuf`. */
export function sampleTitle({ kind, wire, subresource }: Sample): string {
  const { plural, size } = MADE[kind];
  const title = subresource ? `${plural}/${subresource}` : `${kind}${size ? ` of ${size}` : ''}`;
  return wire === 'json' ? title : `${title}, ${wire}`;
}

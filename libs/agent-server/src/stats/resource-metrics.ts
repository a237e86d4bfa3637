import type { ContainerStatistics, NetworkUsage, SandboxStatistics } from '@orch/container-runtime';
import type { NodeUsage } from '@orch/node-resources';
import type { Pod } from '@orch/schema/types/core/v1';
import type { ProbeCount } from '../agent-server-settings.js';
import { type Metric, metricsText, type Sample } from './metric-text.js';

const NANOSECONDS = 1e9;

/** Measurements that `/metrics/resource` is made of. */
interface ResourceSource {
  /** The machine; absent where it could not be measured. */
  readonly node: NodeUsage | undefined;
  /** The pods. */
  readonly usages: readonly SandboxStatistics[];
  /** Their containers. */
  readonly containers: readonly MeasuredContainer[];
  /** The pods that the agent knows. */
  readonly pods: readonly Pod[];
}

const RESOURCE_METRICS: readonly Metric<ResourceSource>[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    type: 'counter',
    help: '[ALPHA] Cumulative cpu time consumed by the container in core-seconds',
    samples: ({ containers }) => containers.flatMap(({ labels, usage }) => cpuSamples(labels, usage)),
  },
  {
    name: 'container_memory_working_set_bytes',
    type: 'gauge',
    help: '[ALPHA] Current working set of the container in bytes',
    samples: ({ containers }) => containers.flatMap(({ labels, usage }) => memorySamples(labels, usage)),
  },
  {
    name: 'container_start_time_seconds',
    type: 'gauge',
    help: '[ALPHA] Start time of the container since unix epoch in seconds',
    samples: ({ pods }) => startTimes(pods),
  },
  {
    name: 'node_cpu_usage_seconds_total',
    type: 'counter',
    help: '[ALPHA] Cumulative cpu time consumed by the node in core-seconds',
    samples: ({ node }) => (node ? [{ value: node.cpu.usageCoreNanoseconds / NANOSECONDS, at: node.at }] : []),
  },
  {
    name: 'node_memory_working_set_bytes',
    type: 'gauge',
    help: '[ALPHA] Current working set of the node in bytes',
    samples: ({ node }) => (node ? [{ value: node.memory.workingSetBytes, at: node.at }] : []),
  },
  {
    name: 'pod_cpu_usage_seconds_total',
    type: 'counter',
    help: '[ALPHA] Cumulative cpu time consumed by the pod in core-seconds',
    samples: ({ usages }) => usages.flatMap((usage) => cpuSamples(podLabels(usage), usage)),
  },
  {
    name: 'pod_memory_working_set_bytes',
    type: 'gauge',
    help: '[ALPHA] Current working set of the pod in bytes',
    samples: ({ usages }) => usages.flatMap((usage) => memorySamples(podLabels(usage), usage)),
  },
  {
    name: 'scrape_error',
    type: 'gauge',
    help: '[ALPHA] 1 if there was an error while getting container metrics, 0 otherwise',
    samples: ({ node }) => [{ value: node ? 0 : 1 }],
  },
];

/** Formats `/metrics/resource`, which the autoscalers' metrics are made of. @param pods those that the agent knows */
export function resourceMetrics(
  node: NodeUsage | undefined,
  usages: readonly SandboxStatistics[],
  pods: readonly Pod[],
): string {
  return metricsText(RESOURCE_METRICS, { node, usages, containers: containersOf(usages), pods });
}

type Labels = Readonly<Record<string, string>>;
type Usage = Pick<SandboxStatistics, 'cpu' | 'memory'>;

const cpuSamples = (labels: Labels, { cpu }: Usage): Sample[] =>
  cpu ? [{ labels, at: cpu.at, value: cpu.usageCoreNanoseconds / NANOSECONDS }] : [];

const memorySamples = (labels: Labels, { memory }: Usage): Sample[] =>
  memory ? [{ labels, at: memory.at, value: memory.workingSetBytes }] : [];

const podLabels = ({ metadata: { name, namespace } }: SandboxStatistics): Labels => ({ namespace, pod: name });

interface MeasuredContainer {
  readonly labels: Labels;
  readonly usage: ContainerStatistics;
}

const containersOf = (usages: readonly SandboxStatistics[]): MeasuredContainer[] =>
  usages.flatMap((pod) =>
    pod.containers.map((usage) => ({ labels: { container: usage.metadata.name, ...podLabels(pod) }, usage })),
  );

function startTimes(pods: readonly Pod[]): Sample[] {
  return pods.flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).flatMap(({ name = '', state }) => {
      const value = Date.parse(state?.running?.startedAt ?? '') / 1000;
      const labels = { container: name, namespace: metadata?.namespace ?? '', pod: metadata?.name ?? '' };
      return Number.isNaN(value) ? [] : [{ labels, value }];
    }),
  );
}

const CONTAINER_METRICS: readonly Metric<readonly SandboxStatistics[]>[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    type: 'counter',
    help: 'Cumulative cpu time consumed in seconds.',
    samples: ofContainers(({ cpu }) => cpu && cpu.usageCoreNanoseconds / NANOSECONDS),
  },
  {
    name: 'container_memory_usage_bytes',
    type: 'gauge',
    help: 'Current memory usage in bytes, including all memory regardless of when it was accessed',
    samples: ofContainers(({ memory }) => memory?.usageBytes),
  },
  {
    name: 'container_memory_working_set_bytes',
    type: 'gauge',
    help: 'Current working set in bytes.',
    samples: ofContainers(({ memory }) => memory?.workingSetBytes),
  },
  {
    name: 'container_memory_rss',
    type: 'gauge',
    help: 'Size of RSS in bytes.',
    samples: ofContainers(({ memory }) => memory?.rssBytes),
  },
  {
    name: 'container_fs_usage_bytes',
    type: 'gauge',
    help: 'Number of bytes that are consumed by the container on this filesystem.',
    samples: ofContainers(({ writableLayer }) => writableLayer?.usedBytes),
  },
  {
    name: 'container_network_receive_bytes_total',
    type: 'counter',
    help: 'Cumulative count of bytes received',
    samples: ofInterfaces(({ rxBytes }) => rxBytes),
  },
  {
    name: 'container_network_receive_errors_total',
    type: 'counter',
    help: 'Cumulative count of errors encountered while receiving',
    samples: ofInterfaces(({ rxErrors }) => rxErrors),
  },
  {
    name: 'container_network_transmit_bytes_total',
    type: 'counter',
    help: 'Cumulative count of bytes transmitted',
    samples: ofInterfaces(({ txBytes }) => txBytes),
  },
  {
    name: 'container_network_transmit_errors_total',
    type: 'counter',
    help: 'Cumulative count of errors encountered while transmitting',
    samples: ofInterfaces(({ txErrors }) => txErrors),
  },
];

function ofContainers(value: (usage: ContainerStatistics) => number | undefined) {
  return (usages: readonly SandboxStatistics[]): Sample[] =>
    containersOf(usages).flatMap(({ labels, usage }) => {
      const number = value(usage);
      return number === undefined ? [] : [{ labels: { ...labels, id: usage.id }, value: number }];
    });
}

function ofInterfaces(value: (usage: NetworkUsage) => number) {
  return (usages: readonly SandboxStatistics[]): Sample[] =>
    usages.flatMap((pod) =>
      (pod.network ?? []).map((usage) => ({
        labels: { interface: usage.name, ...podLabels(pod), id: pod.id },
        value: value(usage),
      })),
    );
}

/** Formats `/metrics/cadvisor`: what is measured of the metrics that dashboards know. */
export const containerMetrics = (usages: readonly SandboxStatistics[]): string =>
  metricsText(CONTAINER_METRICS, usages);

const PROBE_METRICS: readonly Metric<Iterable<ProbeCount>>[] = [
  {
    name: 'prober_probe_total',
    type: 'counter',
    help: '[ALPHA] Cumulative number of a liveness, readiness or startup probe for a container by result.',
    samples: (counts) =>
      [...counts].map(({ type, result, container, pod, namespace, uid, count }) => ({
        labels: { container, namespace, pod, pod_uid: uid, probe_type: type, result },
        value: count,
      })),
  },
];

/** Formats `/metrics/probes`. */
export const probeMetrics = (counts: Iterable<ProbeCount>): string => metricsText(PROBE_METRICS, counts);

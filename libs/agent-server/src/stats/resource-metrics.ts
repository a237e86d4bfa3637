import type { ContainerStatistics, SandboxStatistics } from '@orch/container-runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import type { ProbeCount } from '../agent-server-settings.js';
import { metricText } from './metric-text.js';
import type { NodeUsage } from './node-usage.js';

const NANOSECONDS = 1e9;

const podLabels = ({ metadata: { name, namespace } }: SandboxStatistics) => ({ namespace, pod: name });

/** Formats `/metrics/resource`, which the autoscalers' metrics are made of. @param pods those that the agent knows */
export function resourceMetrics(
  node: NodeUsage | undefined,
  usages: readonly SandboxStatistics[],
  pods: readonly Pod[],
): string {
  const each = containersOf(usages);
  const cpus = each.flatMap(({ labels, usage: { cpu } }) =>
    cpu ? [{ labels, at: cpu.at, value: cpu.usageCoreNanoseconds / NANOSECONDS }] : [],
  );
  const memories = each.flatMap(({ labels, usage: { memory } }) =>
    memory ? [{ labels, at: memory.at, value: memory.workingSetBytes }] : [],
  );
  const podCpus = usages.flatMap((usage) =>
    usage.cpu
      ? [{ labels: podLabels(usage), at: usage.cpu.at, value: usage.cpu.usageCoreNanoseconds / NANOSECONDS }]
      : [],
  );
  const podMemories = usages.flatMap((usage) =>
    usage.memory ? [{ labels: podLabels(usage), at: usage.memory.at, value: usage.memory.workingSetBytes }] : [],
  );
  const nodeCpu = node ? [{ value: node.cpuNanoseconds / NANOSECONDS, at: node.at }] : [];
  const nodeMemory = node ? [{ value: node.memory.workingSet, at: node.at }] : [];
  return [
    metricText(
      'container_cpu_usage_seconds_total',
      'counter',
      '[ALPHA] Cumulative cpu time consumed by the container in core-seconds',
      cpus,
    ),
    metricText(
      'container_memory_working_set_bytes',
      'gauge',
      '[ALPHA] Current working set of the container in bytes',
      memories,
    ),
    metricText(
      'container_start_time_seconds',
      'gauge',
      '[ALPHA] Start time of the container since unix epoch in seconds',
      startTimes(pods),
    ),
    metricText(
      'node_cpu_usage_seconds_total',
      'counter',
      '[ALPHA] Cumulative cpu time consumed by the node in core-seconds',
      nodeCpu,
    ),
    metricText(
      'node_memory_working_set_bytes',
      'gauge',
      '[ALPHA] Current working set of the node in bytes',
      nodeMemory,
    ),
    metricText(
      'pod_cpu_usage_seconds_total',
      'counter',
      '[ALPHA] Cumulative cpu time consumed by the pod in core-seconds',
      podCpus,
    ),
    metricText('pod_memory_working_set_bytes', 'gauge', '[ALPHA] Current working set of the pod in bytes', podMemories),
    metricText(
      'scrape_error',
      'gauge',
      '[ALPHA] 1 if there was an error while getting container metrics, 0 otherwise',
      [{ value: node ? 0 : 1 }],
    ),
  ].join('');
}

interface MeasuredContainer {
  readonly labels: Readonly<Record<string, string>>;
  readonly usage: ContainerStatistics;
}

const containersOf = (usages: readonly SandboxStatistics[]): MeasuredContainer[] =>
  usages.flatMap((pod) =>
    pod.containers.map((usage) => ({ labels: { container: usage.metadata.name, ...podLabels(pod) }, usage })),
  );

function startTimes(pods: readonly Pod[]) {
  return pods.flatMap(({ metadata, status }) =>
    (status?.containerStatuses ?? []).flatMap(({ name = '', state }) => {
      const value = Date.parse(state?.running?.startedAt ?? '') / 1000;
      const labels = { container: name, namespace: metadata?.namespace ?? '', pod: metadata?.name ?? '' };
      return Number.isNaN(value) ? [] : [{ labels, value }];
    }),
  );
}

/** Formats `/metrics/cadvisor`: what is measured of the metrics that dashboards know. */
export function containerMetrics(usages: readonly SandboxStatistics[]): string {
  const each = containersOf(usages);
  const of = (value: (usage: ContainerStatistics) => number | undefined) =>
    each.flatMap(({ labels, usage }) => {
      const number = value(usage);
      return number === undefined ? [] : [{ labels: { ...labels, id: usage.id }, value: number }];
    });
  const network = (name: 'rxBytes' | 'txBytes' | 'rxErrors' | 'txErrors') =>
    usages.flatMap((pod) =>
      (pod.network ?? []).map((one) => ({
        labels: { interface: one.name, ...podLabels(pod), id: pod.id },
        value: one[name],
      })),
    );
  return [
    metricText(
      'container_cpu_usage_seconds_total',
      'counter',
      'Cumulative cpu time consumed in seconds.',
      of(({ cpu }) => cpu && cpu.usageCoreNanoseconds / NANOSECONDS),
    ),
    metricText(
      'container_memory_usage_bytes',
      'gauge',
      'Current memory usage in bytes, including all memory regardless of when it was accessed',
      of(({ memory }) => memory?.usageBytes),
    ),
    metricText(
      'container_memory_working_set_bytes',
      'gauge',
      'Current working set in bytes.',
      of(({ memory }) => memory?.workingSetBytes),
    ),
    metricText(
      'container_memory_rss',
      'gauge',
      'Size of RSS in bytes.',
      of(({ memory }) => memory?.rssBytes),
    ),
    metricText(
      'container_fs_usage_bytes',
      'gauge',
      'Number of bytes that are consumed by the container on this filesystem.',
      of(({ writableLayer }) => writableLayer?.usedBytes),
    ),
    metricText(
      'container_network_receive_bytes_total',
      'counter',
      'Cumulative count of bytes received',
      network('rxBytes'),
    ),
    metricText(
      'container_network_receive_errors_total',
      'counter',
      'Cumulative count of errors encountered while receiving',
      network('rxErrors'),
    ),
    metricText(
      'container_network_transmit_bytes_total',
      'counter',
      'Cumulative count of bytes transmitted',
      network('txBytes'),
    ),
    metricText(
      'container_network_transmit_errors_total',
      'counter',
      'Cumulative count of errors encountered while transmitting',
      network('txErrors'),
    ),
  ].join('');
}

/** Formats `/metrics/probes`. */
export function probeMetrics(counts: Iterable<ProbeCount>): string {
  const samples = [...counts].map(({ type, result, container, pod, namespace, uid, count }) => ({
    labels: { container, namespace, pod, pod_uid: uid, probe_type: type, result },
    value: count,
  }));
  return metricText(
    'prober_probe_total',
    'counter',
    '[ALPHA] Cumulative number of a liveness, readiness or startup probe for a container by result.',
    samples,
  );
}

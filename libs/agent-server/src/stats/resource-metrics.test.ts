import type { ContainerStatistics, SandboxStatistics } from '@orch/container-runtime';
import type { NodeUsage } from '@orch/node-resources';
import type { Pod } from '@orch/schema/types/core/v1';
import { expect, it } from 'vitest';
import { containerMetrics, probeMetrics, resourceMetrics } from './resource-metrics.js';
import { summaryOf } from './summary.js';

const kept = { labels: {}, annotations: {} };
const cpu = { at: 2_000, usageCoreNanoseconds: 1_500_000_000 };
const memory = { at: 3_000, workingSetBytes: 10, usageBytes: 20, rssBytes: 5 };
const container = (name: string, usage: Partial<ContainerStatistics>): ContainerStatistics => ({
  ...{ id: `id-${name}`, metadata: { name, attempt: 0 }, ...kept, ...usage },
});
const usage: SandboxStatistics = {
  ...{ id: 'box', metadata: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 }, ...kept, cpu, memory },
  network: [{ name: 'eth0', rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 }],
  containers: [container('c', { cpu, memory }), container('bare', {})],
};
const disk = { capacityBytes: 9, availableBytes: 5, usedBytes: 4, inodes: 9, inodesFree: 3, device: 1 };
const usedMemory = { usageBytes: 2, workingSetBytes: 3, rssBytes: 1, pageFaults: 5, majorPageFaults: 0 };
const node: NodeUsage = {
  ...{ at: 1_000, startedAt: 0, cpu: { usageCoreNanoseconds: 4_000_000_000, usageNanoCores: 7 } },
  memory: { capacityBytes: 4, availableBytes: 1, ...usedMemory },
  ...{ nodefs: disk, imagefs: disk, hasOwnImagefs: false, processes: { max: 100, running: 10 } },
};
const pod: Pod = {
  metadata: { name: 'web', namespace: 'default' },
  status: {
    containerStatuses: [
      { name: 'c', state: { running: { startedAt: '2024-01-01T00:00:00Z' } } } as never,
      { name: 'bare', state: { waiting: {} } } as never,
    ],
  },
};

/** Samples of a text; comments are left out. */
const samples = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

it('the resource metrics have what is measured, with the time at which it was', () => {
  const text = resourceMetrics(node, [usage], [pod]);
  expect(samples(text)).toEqual([
    'container_cpu_usage_seconds_total{container="c",namespace="default",pod="web"} 1.5 2000',
    'container_memory_working_set_bytes{container="c",namespace="default",pod="web"} 10 3000',
    'container_start_time_seconds{container="c",namespace="default",pod="web"} 1704067200',
    'node_cpu_usage_seconds_total 4 1000',
    'node_memory_working_set_bytes 3 1000',
    'pod_cpu_usage_seconds_total{namespace="default",pod="web"} 1.5 2000',
    'pod_memory_working_set_bytes{namespace="default",pod="web"} 10 3000',
    'scrape_error 0',
  ]);
  expect(text).toContain(
    '# HELP node_cpu_usage_seconds_total [ALPHA] Cumulative cpu time consumed by the node in core-seconds\n' +
      '# TYPE node_cpu_usage_seconds_total counter\nnode_cpu_usage_seconds_total 4 1000\n',
  );
});

it('without measurements the resource metrics have their error alone', () => {
  expect(resourceMetrics(undefined, [], [])).toBe(
    '# HELP scrape_error [ALPHA] 1 if there was an error while getting container metrics, 0 otherwise\n' +
      '# TYPE scrape_error gauge\nscrape_error 1\n',
  );
});

it('the metrics of containers have what is measured of each, and of the interfaces of its pod', () => {
  const own = '{container="c",namespace="default",pod="web",id="id-c"}';
  const shared = '{interface="eth0",namespace="default",pod="web",id="box"}';
  expect(samples(containerMetrics([usage]))).toEqual([
    `container_cpu_usage_seconds_total${own} 1.5`,
    `container_memory_usage_bytes${own} 20`,
    `container_memory_working_set_bytes${own} 10`,
    `container_memory_rss${own} 5`,
    `container_network_receive_bytes_total${shared} 1`,
    `container_network_receive_errors_total${shared} 2`,
    `container_network_transmit_bytes_total${shared} 3`,
    `container_network_transmit_errors_total${shared} 4`,
  ]);
});

it('the metrics of probes have their counts', () => {
  const labels = { type: 'Liveness', result: 'failed', container: 'c', pod: 'we"b', namespace: 'default', uid: 'u' };
  expect(samples(probeMetrics([{ ...labels, count: 2 }]))).toEqual([
    'prober_probe_total{container="c",namespace="default",pod="we\\"b",pod_uid="u",probe_type="Liveness",result="failed"} 2',
  ]);
});

it('the summary has the node with its file systems, and pods with their volumes; the short one has CPU and memory', () => {
  const volume = { ...{ name: 'v', at: 1_000, capacityBytes: 9, availableBytes: 5, usedBytes: 2 }, inodesUsed: 1 };
  const volumes = [{ ...volume, inodes: 9, inodesFree: 3 }];
  const images = { at: 0, mountpoint: '/images', usedBytes: 3, inodesUsed: 2 };
  const source = { nodeName: 'n', node, images, pods: [{ usage, pod, volumes }] };
  const time = '1970-01-01T00:00:01Z';
  expect(summaryOf(source, false)).toMatchObject({
    node: {
      nodeName: 'n',
      cpu: { time, usageCoreNanoSeconds: 4_000_000_000, usageNanoCores: 7 },
      memory: { time, availableBytes: 1, ...usedMemory },
      fs: { time, availableBytes: 5, capacityBytes: 9, usedBytes: 4, inodesFree: 3, inodes: 9, inodesUsed: 6 },
      runtime: { imageFs: { time, availableBytes: 5, usedBytes: 3, inodesUsed: 2 } },
      rlimit: { time, maxpid: 100, curproc: 10 },
    },
    pods: [{ podRef: { name: 'web' }, volume: [{ time, name: 'v', usedBytes: 2, inodesUsed: 1, capacityBytes: 9 }] }],
  });
  expect(JSON.stringify(summaryOf(source, false))).not.toContain('device');
  expect(JSON.stringify(summaryOf(source, true))).not.toMatch(/inodes|rlimit|volume/);
});

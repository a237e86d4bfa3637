import type {
  ContainerStatistics,
  CpuUsage,
  FilesystemUsage,
  MemoryUsage,
  NetworkUsage,
  SandboxStatistics,
} from '@orch/container-runtime';
import type { FilesystemSize, NodeUsage, VolumeUsage } from '@orch/node-resources';
import type { Pod } from '@orch/schema/types/core/v1';

/** Measurements that a summary is made of; absent parts are not measured. */
interface SummarySource {
  /** Name of the node. */
  readonly nodeName: string;
  /** The machine, with the file systems of pods and of images. */
  readonly node: NodeUsage;
  /** Usage of images of their file system. */
  readonly images?: FilesystemUsage;
  /** The pods. */
  readonly pods: readonly MeasuredPod[];
}

/** A pod as it was measured. */
interface MeasuredPod {
  /** Its sandbox and containers. */
  readonly usage: SandboxStatistics;
  /** The pod; absent where the agent does not know it. */
  readonly pod?: Pod;
  /** Its volumes. */
  readonly volumes?: readonly VolumeUsage[];
}

/** Formats the answer of `/stats/summary`. @param isShort of CPU and memory alone */
export function summaryOf({ nodeName, node, images, pods }: SummarySource, isShort: boolean): object {
  return {
    node: {
      nodeName,
      startTime: timeOf(node.startedAt),
      cpu: nodeCpu(node),
      memory: nodeMemory(node),
      ...(!isShort && { fs: fsOf(node.nodefs, node.at), rlimit: rlimitOf(node) }),
      ...(!isShort && images && { runtime: { imageFs: { ...fsOf(node.imagefs, node.at), ...usedOf(images) } } }),
    },
    pods: pods.map((each) => podOf(each, node.at, isShort)),
  };
}

const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

const nodeCpu = ({ at, cpu }: NodeUsage) => cpuOf({ at, ...cpu });

const nodeMemory = ({ at, memory: { capacityBytes: _all, ...measured } }: NodeUsage) => ({
  time: timeOf(at),
  ...measured,
});

const fsOf = ({ device: _device, ...size }: FilesystemSize, at: number) => ({
  ...{ time: timeOf(at), ...size },
  inodesUsed: size.inodes - size.inodesFree,
});

const rlimitOf = ({ at, processes: { max, running } }: NodeUsage) => ({
  ...{ time: timeOf(at), maxpid: max, curproc: running },
});

const usedOf = ({ usedBytes, inodesUsed }: FilesystemUsage) => ({ usedBytes, inodesUsed });

function podOf({ usage, pod, volumes }: MeasuredPod, at: number, isShort: boolean): object {
  const { metadata, cpu, memory, network, processCount, containers } = usage;
  const { name, namespace, uid } = metadata;
  return {
    podRef: { name, namespace, uid },
    ...(pod?.status?.startTime !== undefined && { startTime: pod.status.startTime }),
    containers: containers.map((each) => containerOf(each, pod, isShort)),
    ...(cpu && { cpu: cpuOf(cpu) }),
    ...(memory && { memory: memoryOf(memory) }),
    ...(!isShort && network?.length && { network: networkOf(network, cpu?.at ?? at) }),
    ...(!isShort && volumes?.length && { volume: volumes.map(volumeOf) }),
    ...(!isShort && processCount !== undefined && { process_stats: { process_count: processCount } }),
  };
}

const volumeOf = ({ at, ...rest }: VolumeUsage) => ({ time: timeOf(at), ...rest });

function containerOf(
  { metadata, cpu, memory, writableLayer }: ContainerStatistics,
  pod: Pod | undefined,
  isShort: boolean,
) {
  const status = pod?.status?.containerStatuses?.find(({ name }) => name === metadata.name);
  const startTime = status?.state?.running?.startedAt;
  return {
    name: metadata.name,
    startTime: startTime ?? null,
    ...(cpu && { cpu: cpuOf(cpu) }),
    ...(memory && { memory: memoryOf(memory) }),
    ...(!isShort && writableLayer && { rootfs: { time: timeOf(writableLayer.at), ...usedOf(writableLayer) } }),
  };
}

const cpuOf = ({ at, usageCoreNanoseconds, usageNanoCores }: CpuUsage) => ({
  ...{ time: timeOf(at), usageCoreNanoSeconds: usageCoreNanoseconds },
  ...(usageNanoCores !== undefined && { usageNanoCores }),
});

const memoryOf = ({ at, majorPageFaults, ...rest }: MemoryUsage) => ({
  ...{ time: timeOf(at), ...rest },
  ...(majorPageFaults !== undefined && { majorPageFaults }),
});

function networkOf(network: readonly NetworkUsage[], at: number): object {
  return { time: timeOf(at), ...network[0], interfaces: network };
}

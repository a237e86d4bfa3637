import type { ContainerStatistics, CpuUsage, MemoryUsage, NetworkUsage, SandboxStatistics } from '../statistics.js';
import { filesystemUsage, milliseconds, type WireFilesystem, type WireValue } from './wire-status.js';

/** Message with a time and numbers, some of which may be absent. */
type WireUsage<T> = { readonly at: number } & { readonly [K in Exclude<keyof T, 'at'>]: WireValue };

type WireInterface = { readonly name: string } & { readonly [K in Exclude<keyof NetworkUsage, 'name'>]: WireValue };

/** Message of a container's usage. */
export interface WireContainerStatistics {
  /** Identity and labels. */
  readonly attributes: Pick<ContainerStatistics, 'id' | 'metadata' | 'labels' | 'annotations'>;
  /** CPU time. */
  readonly cpu: WireUsage<CpuUsage> | null;
  /** Memory in use. */
  readonly memory: WireUsage<MemoryUsage> | null;
  /** Files that it has written. */
  readonly writableLayer: WireFilesystem | null;
}

/** Message of a sandbox's usage. */
export interface WireSandboxStatistics {
  /** Identity and labels. */
  readonly attributes: Pick<SandboxStatistics, 'id' | 'metadata' | 'labels' | 'annotations'>;
  /** Parts that only Linux has. */
  readonly linux: {
    readonly cpu: WireUsage<CpuUsage> | null;
    readonly memory: WireUsage<MemoryUsage> | null;
    readonly network: { readonly default: WireInterface | null; readonly interfaces: readonly WireInterface[] } | null;
    readonly process: { readonly count: WireValue } | null;
    readonly containers: readonly WireContainerStatistics[];
  } | null;
}

/** Returns the numbers that are known. */
function numbersOf(wire: Readonly<Record<string, unknown>>): Record<string, number> {
  const known = Object.entries(wire).filter(([, value]) => value !== null && typeof value === 'object');
  return Object.fromEntries(known.map(([name, value]) => [name, (value as { value: number }).value]));
}

const cpuOf = (wire: WireUsage<CpuUsage>): CpuUsage => ({
  usageCoreNanoseconds: 0,
  ...numbersOf(wire),
  at: milliseconds(wire.at),
});

const memoryOf = (wire: WireUsage<MemoryUsage>): MemoryUsage => ({
  workingSetBytes: 0,
  ...numbersOf(wire),
  at: milliseconds(wire.at),
});

const interfaceOf = (wire: WireInterface): NetworkUsage => ({
  ...{ rxBytes: 0, rxErrors: 0, txBytes: 0, txErrors: 0 },
  ...numbersOf(wire),
  name: wire.name,
});

/** Returns a container's usage. */
export const containerStatistics = (wire: WireContainerStatistics): ContainerStatistics => ({
  ...wire.attributes,
  ...(wire.cpu && { cpu: cpuOf(wire.cpu) }),
  ...(wire.memory && { memory: memoryOf(wire.memory) }),
  ...(wire.writableLayer && { writableLayer: filesystemUsage(wire.writableLayer) }),
});

/** Returns a sandbox's usage. */
export function sandboxStatistics({ attributes, linux }: WireSandboxStatistics): SandboxStatistics {
  const { cpu, memory, network, process, containers = [] } = linux ?? {};
  const interfaces = network ? [...(network.default ? [network.default] : []), ...network.interfaces] : undefined;
  return {
    ...attributes,
    ...(cpu && { cpu: cpuOf(cpu) }),
    ...(memory && { memory: memoryOf(memory) }),
    ...(interfaces && { network: interfaces.map(interfaceOf) }),
    ...(process?.count && { processCount: process.count.value }),
    containers: containers.map(containerStatistics),
  };
}

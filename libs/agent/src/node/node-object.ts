import type { StoredImage } from '@orch/container-runtime';
import type { Names } from '@orch/machinery';
import { allocatableOf, type ReservedShares, resourceListOf } from '@orch/pod-environment';
import { RELEASE } from '@orch/runtime';
import type { ContainerImage, Node, NodeStatus, NodeSystemInfo } from '@orch/schema/types/core/v1';
import { parseTaint } from '../options/checks.js';
import type { Machine } from './machine.js';
import { nodeAddresses } from './node-addresses.js';

/** Release of the API that the agent speaks. */
const API_RELEASE = 'v1.27.16';

/** Settings of the node's object. */
export interface NodeObjectSettings {
  /** Name of the node. */
  readonly name: string;
  /** Naming profile of the API. */
  readonly names: Names;
  /** Name of the host: label and address. */
  readonly hostname: string;
  /** `--node-labels`. */
  readonly labels: ReadonlyMap<string, string>;
  /** `--register-with-taints`. */
  readonly taints: readonly string[];
  /** Whether a controller attaches volumes. */
  readonly controllerAttaches: boolean;
  /** `--max-pods`. */
  readonly maxPods: number;
  /** `--pods-per-core`; 0 for no bound. */
  readonly podsPerCore: number;
  /** Shares of the machine that pods cannot have. */
  readonly reserved: ReservedShares;
  /** Whether ephemeral storage is counted. */
  readonly countsStorage: boolean;
  /** Port that the agent serves on; 0 for none. */
  readonly port: number;
  /** `--node-status-max-images`. */
  readonly maxImages: number;
}

/** Facts about the node that change. */
interface NodeFacts {
  /** The machine. */
  readonly machine: Machine;
  /** Addresses of the node. */
  readonly ips: readonly string[];
  /** Name and version of the runtime: `containerd://1.6.20`; empty if it is not known. */
  readonly runtimeVersion: string;
  /** Images of the runtime. */
  readonly images: readonly StoredImage[];
}

/** Returns the labels that the agent keeps on its node. */
export function defaultLabels(
  { names, hostname }: NodeObjectSettings,
  { architecture }: Machine,
): Record<string, string> {
  const both = (name: string, value: string) => [
    [names.key(`orch.io/${name}`), value],
    [names.key(`beta.orch.io/${name}`), value],
  ];
  return Object.fromEntries([
    [names.key('orch.io/hostname'), hostname],
    ...both('os', 'linux'),
    ...both('arch', architecture),
  ]);
}

/** Name of the annotation by which a controller attaches volumes. */
export const attachAnnotation = (names: Names): string => names.key('volumes.orch.io/controller-managed-attach-detach');

/** Returns the node as it is registered, without conditions. */
export function nodeObject(settings: NodeObjectSettings, facts: NodeFacts): Node {
  const { name, names, labels, taints, controllerAttaches } = settings;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...Object.fromEntries(labels), ...defaultLabels(settings, facts.machine) },
      ...(controllerAttaches && { annotations: { [attachAnnotation(names)]: 'true' } }),
    },
    spec: taints.length > 0 ? { taints: taints.map(parseTaint) } : {},
    status: nodeStatus(settings, facts),
  };
}

/** Returns the status of the node but for its conditions. */
export function nodeStatus(
  settings: NodeObjectSettings,
  { machine, ips, runtimeVersion, images }: NodeFacts,
): NodeStatus {
  const capacity = capacityOf(settings, machine);
  return {
    capacity: resourceListOf(capacity),
    allocatable: resourceListOf(allocatableOf(capacity, settings.reserved)),
    addresses: nodeAddresses(ips, settings.hostname),
    daemonEndpoints: { kubeletEndpoint: { Port: settings.port } },
    nodeInfo: systemInfo(machine, runtimeVersion),
    images: imagesOf(images, settings.maxImages),
  };
}

/** Resources that the agent measures: where it does not report one, the machine has none of it. */
const MEASURED = /^(?:cpu|memory|pods|ephemeral-storage|hugepages-.+)$/;

/** Returns the status of the node with the resources that others have given the node in the API, which pods can have whole. */
export function withGivenResources(own: NodeStatus, known: NodeStatus = {}): NodeStatus {
  const given = Object.fromEntries(Object.entries(known.capacity ?? {}).filter(([name]) => !MEASURED.test(name)));
  if (Object.keys(given).length === 0) return own;
  return { ...own, capacity: { ...given, ...own.capacity }, allocatable: { ...given, ...own.allocatable } };
}

function capacityOf(
  { maxPods, podsPerCore, countsStorage }: NodeObjectSettings,
  machine: Machine,
): Map<string, bigint> {
  const pods = podsPerCore > 0 ? Math.min(maxPods, podsPerCore * machine.cpus) : maxPods;
  return new Map([
    ['cpu', BigInt(machine.cpus) * 1000n],
    ['memory', machine.memoryBytes],
    ...(countsStorage ? [['ephemeral-storage', machine.storageBytes] as const] : []),
    ...[...machine.hugePages].map(([size, bytes]) => [`hugepages-${size}`, bytes] as const),
    ['pods', BigInt(pods)],
  ]);
}

function systemInfo(machine: Machine, runtimeVersion: string): NodeSystemInfo {
  const {
    machineId: machineID,
    systemUuid: systemUUID,
    bootId: bootID,
    kernelVersion,
    osImage,
    architecture,
  } = machine;
  return {
    ...{ machineID, systemUUID, bootID, kernelVersion, osImage, architecture },
    operatingSystem: 'linux',
    containerRuntimeVersion: runtimeVersion,
    kubeletVersion: `${API_RELEASE}-orch.${RELEASE}`,
    kubeProxyVersion: `${API_RELEASE}-orch.${RELEASE}`,
  };
}

/** Limit of the names of an image in the status. */
const MAX_NAMES = 5;

function imagesOf(images: readonly StoredImage[], most: number): ContainerImage[] {
  const sorted = [...images].sort((a, b) => b.size - a.size);
  return (most < 0 ? sorted : sorted.slice(0, most)).map(({ repoDigests, repoTags, size }) => ({
    names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES),
    sizeBytes: size,
  }));
}

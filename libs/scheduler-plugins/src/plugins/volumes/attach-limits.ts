import { randomUUID } from 'node:crypto';
import type { PersistentVolumeClaim, PersistentVolumeSpec, Pod, Volume } from '@orch/schema/types/core/v1';
import { ACTION } from '../../framework/cluster-event.js';
import type { ClusterObjects } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { FilterPlugin, Rejection } from '../../framework/plugin.js';
import { isMigrated } from './migration.js';
import { claimNotFound, claimUseOf, foreignClaim } from './pod-claims.js';
import type { VolumeNames } from './volume-names.js';

/** Reason of all plugins that limit the number of volumes on a node. */
export const TOO_MANY_VOLUMES = 'node(s) exceed max volume count';

/** A kind of disk of a cloud, and how many of them a node takes. */
interface DiskKind {
  /** Name of the plugin. */
  readonly plugin: string;
  /** Name of the volume plugin, without its domain. */
  readonly inTree: string;
  /** Resource by which nodes tell their limit. */
  readonly resource: string;
  /** Returns the disk of a volume; undefined for volumes of other kinds. */
  diskOf(source: Volume | PersistentVolumeSpec): string | undefined;
  /** Returns the limit of nodes that tell none. */
  limitOf(instanceType: string): number;
}

const NITRO = /^[cmr]5.*|t3|z1d/;

const DISK_KINDS: readonly DiskKind[] = [
  {
    plugin: 'EBSLimits',
    inTree: 'aws-ebs',
    resource: 'attachable-volumes-aws-ebs',
    diskOf: ({ awsElasticBlockStore: disk }) => disk && (disk.volumeID ?? ''),
    limitOf: (instanceType) => (NITRO.test(instanceType) ? 25 : 39),
  },
  {
    plugin: 'GCEPDLimits',
    inTree: 'gce-pd',
    resource: 'attachable-volumes-gce-pd',
    diskOf: ({ gcePersistentDisk: disk }) => disk && (disk.pdName ?? ''),
    limitOf: () => 16,
  },
  {
    plugin: 'AzureDiskLimits',
    inTree: 'azure-disk',
    resource: 'attachable-volumes-azure-disk',
    diskOf: ({ azureDisk: disk }) => disk && (disk.diskName ?? ''),
    limitOf: () => 16,
  },
  {
    plugin: 'CinderLimits',
    inTree: 'cinder',
    resource: 'attachable-volumes-cinder',
    diskOf: ({ cinder: disk }) => disk && (disk.volumeID ?? ''),
    limitOf: () => 256,
  },
];

/** Settings of {@link attachLimit}. */
interface AttachLimitSettings {
  /** Names of labels and annotations. */
  readonly names: VolumeNames;
  /** Limit of all nodes that give none; undefined: by the kind of disk and the machine type. */
  readonly maxVolumes?: number;
}

/** Returns the plugin of a name that limits how many disks of a cloud a node has. @throws RangeError for other names */
export function attachLimit(name: string, { names, maxVolumes }: AttachLimitSettings): FilterPlugin {
  const kind = DISK_KINDS.find(({ plugin }) => plugin === name);
  if (!kind) throw new RangeError(`no disks are limited by ${name}`);
  const rejection: Rejection = { plugin: kind.plugin, reasons: [TOO_MANY_VOLUMES], isResolvable: true };
  const counter = new DiskCounter(kind, names);
  return {
    name: kind.plugin,
    events: [
      { resource: 'Node', actions: ACTION.add },
      { resource: 'Pod', actions: ACTION.delete },
    ],
    prepare({ pod }, { objects }) {
      const volumes = pod.spec?.volumes ?? [];
      if (!volumes.some((volume) => kind.diskOf(volume) !== undefined || claimUseOf(pod, volume))) return undefined;
      // Errors come with the first node: what other plugins have to say of the pod as a whole comes first.
      let own: ReadonlySet<string> | undefined;
      return {
        filter(node) {
          own ??= counter.disksOf(pod, objects, true);
          if (own.size === 0 || isMigrated(kind.inTree, objects.csiNodes.get(node.name), names)) return undefined;
          return counter.unionOn(node, own, objects) > limitOf(node, kind, names, maxVolumes) ? rejection : undefined;
        },
      };
    },
  };
}

function limitOf(node: NodeInfo, kind: DiskKind, names: VolumeNames, maxVolumes: number | undefined): number {
  if (node.node.status?.allocatable?.[kind.resource] !== undefined) return node.allocatable.get(kind.resource);
  if (maxVolumes !== undefined) return maxVolumes;
  const label = names.instanceTypes.find((each) => node.labels[each] !== undefined);
  return kind.limitOf(label === undefined ? '' : (node.labels[label] ?? ''));
}

class DiskCounter {
  /** Stands before names of claims whose disks are not known, as no disk's name begins so. */
  readonly #prefix = randomUUID();

  constructor(
    private readonly kind: DiskKind,
    private readonly names: VolumeNames,
  ) {}

  /** Returns the number of disks that a node would have with those of a further pod. */
  unionOn(node: NodeInfo, own: ReadonlySet<string>, objects: ClusterObjects): number {
    const disks = new Set(own);
    for (const { pod } of node.pods) for (const disk of this.disksOf(pod, objects, false)) disks.add(disk);
    return disks.size;
  }

  /** Returns the disks of a pod. @throws Error where a claim of a new pod does not exist, or is not that of the pod */
  disksOf(pod: Pod, objects: ClusterObjects, isNew: boolean): ReadonlySet<string> {
    const disks = new Set<string>();
    for (const volume of pod.spec?.volumes ?? []) {
      const disk = this.kind.diskOf(volume) ?? this.#claimedDisk(pod, volume, objects, isNew);
      if (disk !== undefined) disks.add(disk);
    }
    return disks;
  }

  #claimedDisk(pod: Pod, volume: Volume, objects: ClusterObjects, isNew: boolean): string | undefined {
    const claim = existingClaim(pod, volume, objects, isNew);
    if (!claim) return undefined;
    const bound = objects.persistentVolumes.get(claim.spec?.volumeName ?? '');
    if (bound) return this.kind.diskOf(bound.spec ?? {});
    const storageClass = objects.storageClasses.get(claim.spec?.storageClassName ?? '');
    if (storageClass?.provisioner !== this.names.inTree(this.kind.inTree)) return undefined;
    return `${this.#prefix}-${claim.metadata?.namespace}/${claim.metadata?.name}`;
  }
}

/**
 * Returns the claim that a volume of a pod uses; undefined for other volumes, and where the claim of a pod that already
 * runs is gone. @throws Error where the claim of a new pod does not exist, or is not that of the pod
 */
export function existingClaim(
  pod: Pod,
  volume: Volume,
  { persistentVolumeClaims }: ClusterObjects,
  isNew: boolean,
): PersistentVolumeClaim | undefined {
  const use = claimUseOf(pod, volume);
  if (!use) return undefined;
  if (use.name === '') throw new Error('PersistentVolumeClaim had no name');
  const key = `${pod.metadata?.namespace}/${use.name}`;
  const claim = persistentVolumeClaims.get(key);
  if (!claim && isNew) throw new Error(`looking up PVC ${key}: ${claimNotFound(use.name)}`);
  const problem = claim && use.isEphemeral ? foreignClaim(pod, claim) : undefined;
  if (problem !== undefined) throw new Error(problem);
  return claim;
}

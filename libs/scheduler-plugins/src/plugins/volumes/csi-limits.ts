import { createHash, randomUUID } from 'node:crypto';
import type { PersistentVolumeClaim, Pod, Volume } from '@orch/schema/types/core/v1';
import type { CSINode } from '@orch/schema/types/storage/v1';
import { ACTION } from '../../framework/cluster-event.js';
import type { ClusterObjects } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { FilterPlugin, Rejection } from '../../framework/plugin.js';
import { existingClaim, TOO_MANY_VOLUMES } from './attach-limits.js';
import { type DriverVolume, driverOf, migratedInline, volumeOfDriver } from './migration.js';
import { claimUseOf } from './pod-claims.js';
import { claimClass, type VolumeNames } from './volume-names.js';

const NAME = 'NodeVolumeLimits';
const REJECTION: Rejection = { plugin: NAME, reasons: [TOO_MANY_VOLUMES], isResolvable: true };

const PREFIX = 'attachable-volumes-';
const DRIVER_PREFIX = `${PREFIX}csi-`;
const LONGEST_RESOURCE = 63;

/** Limits how many volumes of each CSI driver a node has, as its CSINode or its allocatable resources say. */
export function csiLimits(names: VolumeNames): FilterPlugin {
  const counter = new DriverVolumeCounter(names);
  return {
    name: NAME,
    events: [
      { resource: 'CSINode', actions: ACTION.add },
      { resource: 'Pod', actions: ACTION.delete },
    ],
    prepare({ pod }, { objects }) {
      const volumes = pod.spec?.volumes ?? [];
      const isMeant = volumes.some((volume) => claimUseOf(pod, volume) || counter.isMigratable(volume));
      if (!isMeant) return undefined;
      return { filter: (node) => (counter.exceeds(node, pod, objects) ? REJECTION : undefined) };
    },
  };
}

/** Returns the resource by which a node tells how many volumes of a driver it takes. */
function limitResource(driver: string): string {
  if (DRIVER_PREFIX.length + driver.length < LONGEST_RESOURCE) return `${DRIVER_PREFIX}${driver}`;
  // The form of the protocol between node agents and schedulers, no matter of security.
  const hash = createHash('sha1').update(driver).digest('hex').slice(0, 16);
  return `${DRIVER_PREFIX}${driver.slice(0, 23)}${hash}`;
}

function limitsOf({ allocatable }: NodeInfo, csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const [name, amount] of allocatable.others) if (name.startsWith(PREFIX)) limits.set(name, amount);
  for (const { name = '', allocatable: own } of csiNode?.spec?.drivers ?? [])
    if (own?.count !== undefined) limits.set(limitResource(name), own.count);
  return limits;
}

class DriverVolumeCounter {
  /** Stands before names of claims whose volumes are not known, as no volume's name begins so. */
  readonly #prefix = randomUUID();

  constructor(private readonly names: VolumeNames) {}

  /** Whether a volume of a pod that uses no claim may be one of a driver on some node. */
  isMigratable({ awsElasticBlockStore, gcePersistentDisk, azureDisk, cinder }: Volume): boolean {
    return !!(awsElasticBlockStore || gcePersistentDisk || azureDisk || cinder);
  }

  /** Whether a node would have too many volumes of a driver with a pod. @throws Error as {@link existingClaim} */
  exceeds(node: NodeInfo, pod: Pod, objects: ClusterObjects): boolean {
    const csiNode = objects.csiNodes.get(node.name);
    const own = this.#volumesOf(pod, csiNode, objects, true);
    if (own.size === 0) return false;
    const limits = limitsOf(node, csiNode);
    if (limits.size === 0) return false;
    const attached = new Map<string, DriverVolume>();
    for (const other of node.pods)
      for (const [id, volume] of this.#volumesOf(other.pod, csiNode, objects, false)) attached.set(id, volume);
    const added = [...own].filter(([id]) => !attached.has(id)).map(([, volume]) => volume);
    const counts = new Map<string, number>();
    for (const { driver } of [...attached.values(), ...added]) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    return added.some(({ driver }) => (counts.get(driver) ?? 0) > (limits.get(limitResource(driver)) ?? Infinity));
  }

  #volumesOf(pod: Pod, csiNode: CSINode | undefined, objects: ClusterObjects, isNew: boolean) {
    const volumes = new Map<string, DriverVolume>();
    for (const volume of pod.spec?.volumes ?? []) {
      const claim = existingClaim(pod, volume, objects, isNew);
      const found = claim ? this.#claimed(claim, csiNode, objects) : migratedInline(volume, csiNode, this.names);
      if (found && found.driver !== '' && found.handle !== '') volumes.set(`${found.driver}/${found.handle}`, found);
    }
    return volumes;
  }

  #claimed(claim: PersistentVolumeClaim, csiNode: CSINode | undefined, objects: ClusterObjects) {
    const bound = objects.persistentVolumes.get(claim.spec?.volumeName ?? '');
    if (bound) return volumeOfDriver(bound, csiNode, this.names);
    // A claim without a class is bound before its pod is scheduled.
    const storageClass = objects.storageClasses.get(claimClass(claim, this.names));
    const driver = storageClass && driverOf(storageClass.provisioner ?? '', csiNode, this.names);
    const handle = `${this.#prefix}-${claim.metadata?.namespace}/${claim.metadata?.name}`;
    return driver === undefined ? undefined : { driver, handle };
  }
}

import type { PersistentVolumeClaim, Pod, Volume } from '@orch/schema/types/core/v1';
import { ACTION } from '../../framework/cluster-event.js';
import type { ClusterView } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { FilterPlugin, HypotheticalFilter, PodFilter, Rejection } from '../../framework/plugin.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { claimNotFound } from './pod-claims.js';

const NAME = 'VolumeRestrictions';
const DISK_CONFLICT: Rejection = { plugin: NAME, reasons: ['node(s) had no available disk'], isResolvable: true };
const ONE_POD_CONFLICT: Rejection = {
  plugin: NAME,
  reasons: ['node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'],
  isResolvable: true,
};

/** Keeps pods from sharing disks that only one node can write to, and claims that only one pod can use. */
export const volumeRestrictions: FilterPlugin = {
  name: NAME,
  events: [
    { resource: 'Pod', actions: ACTION.delete },
    { resource: 'Node', actions: ACTION.add },
    { resource: 'PersistentVolumeClaim', actions: ACTION.add | ACTION.update },
  ],
  prepare(pod, view) {
    const disks = (pod.pod.spec?.volumes ?? []).filter(isDisk);
    const claims = onePodClaims(pod, view);
    if ('reasons' in claims) return claims;
    if (disks.length === 0 && claims.length === 0) return undefined;
    return new Restrictions(disks, claims, usersOf(claims, view));
  },
};

/** Returns the claims of a pod that one pod can use alone, `namespace/name`. */
function onePodClaims({ pod, namespace }: PodInfo, { objects }: ClusterView): readonly string[] | Rejection {
  const found: string[] = [];
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (!persistentVolumeClaim) continue;
    const { claimName = '' } = persistentVolumeClaim;
    const key = `${namespace}/${claimName}`;
    const claim = objects.persistentVolumeClaims.get(key);
    if (!claim) return { plugin: NAME, reasons: [claimNotFound(claimName)], isResolvable: false };
    if (isForOnePod(claim)) found.push(key);
  }
  return [...new Set(found)];
}

const isForOnePod = ({ spec }: PersistentVolumeClaim): boolean =>
  spec?.accessModes?.includes('ReadWriteOncePod') === true;

/** Returns the number of uses of the claims by pods on any node. */
function usersOf(claims: readonly string[], { nodes }: ClusterView): number {
  let users = 0;
  for (const claim of claims) for (const node of nodes) users += node.usersOf(claim);
  return users;
}

class Restrictions implements PodFilter, HypotheticalFilter {
  constructor(
    private readonly disks: readonly Volume[],
    private readonly claims: readonly string[],
    private users: number,
  ) {}

  filter(node: NodeInfo): Rejection | undefined {
    for (const disk of this.disks) for (const { pod } of node.pods) if (conflicts(disk, pod)) return DISK_CONFLICT;
    return this.users > 0 ? ONE_POD_CONFLICT : undefined;
  }

  fork(): Restrictions {
    return new Restrictions(this.disks, this.claims, this.users);
  }

  addPod(pod: PodInfo): void {
    this.users += this.#usesOf(pod);
  }

  removePod(pod: PodInfo): void {
    this.users -= this.#usesOf(pod);
  }

  #usesOf({ namespace, claims }: PodInfo): number {
    return claims.filter((claim) => this.claims.includes(`${namespace}/${claim}`)).length;
  }
}

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean =>
  !!(gcePersistentDisk || awsElasticBlockStore || iscsi || rbd);

const conflicts = (disk: Volume, { spec }: Pod): boolean =>
  spec?.volumes?.some((other) => isSameDisk(disk, other)) === true;

/** Whether two volumes are one disk that both cannot have at once. */
function isSameDisk(a: Volume, b: Volume): boolean {
  const [gce, otherGce] = [a.gcePersistentDisk, b.gcePersistentDisk];
  if (gce && otherGce && gce.pdName === otherGce.pdName && !bothRead(gce, otherGce)) return true;
  const [aws, otherAws] = [a.awsElasticBlockStore, b.awsElasticBlockStore];
  if (aws && otherAws && aws.volumeID === otherAws.volumeID) return true;
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !bothRead(a.iscsi, b.iscsi)) return true;
  return a.rbd !== undefined && b.rbd !== undefined && isSameImage(a.rbd, b.rbd) && !bothRead(a.rbd, b.rbd);
}

type BlockImage = NonNullable<Volume['rbd']>;

const isSameImage = (a: BlockImage, b: BlockImage): boolean =>
  a.pool === b.pool && a.image === b.image && a.monitors?.some((each) => b.monitors?.includes(each)) === true;

const bothRead = (a: { readOnly?: boolean }, b: { readOnly?: boolean }): boolean =>
  a.readOnly === true && b.readOnly === true;

import type { Client } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import type {
  LocalVolumeSource,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Volume,
} from '@orch/schema/types/core/v1';
import { matchesNode } from '../resources/node-affinity.js';
import { checkHostPath, isBlockDevice } from './host-path.js';

/** A volume of the API that a pod uses through its claim. */
export interface ClaimedVolume {
  /** Path on the node. */
  readonly path: string;
  /** Whether files are given to the group of the pod. */
  readonly isOwned: boolean;
  /** Use of the path where it is a block device: containers get it as it is, or the file system on it is mounted. */
  readonly device?: 'raw' | 'disk';
  /** Type of the file system that is made on a disk without one. */
  readonly fsType?: string;
}

/** Resolves claims of pods to places on the node. */
export class VolumeClaims {
  /**
   * @param client client of the API
   * @param node returns the node, whose labels volumes may require
   */
  constructor(
    private readonly client: Pick<Client, 'get'>,
    private readonly node: () => Node,
  ) {}

  /** Returns the place of the volume that a claim is bound to. @throws Error with the message of the event */
  async resolve(pod: Pod, volume: Volume): Promise<ClaimedVolume> {
    const { name: podName = '', namespace = '', uid } = pod.metadata ?? {};
    const { persistentVolumeClaim, ephemeral } = volume;
    const name = ephemeral ? `${podName}-${volume.name ?? ''}` : (persistentVolumeClaim?.claimName ?? '');
    const claim = await this.client.get<PersistentVolumeClaim & ApiObject>(
      { group: '', version: 'v1', resource: 'persistentvolumeclaims', namespace },
      name,
    );
    const isOwn = claim.metadata?.ownerReferences?.some((owner) => owner.controller && owner.uid === uid);
    if (ephemeral && !isOwn)
      throw new Error(`PVC ${namespace}/${name} was not created for pod ${namespace}/${podName}`);
    return this.#bound(claim, `${namespace}/${name}`);
  }

  async #bound(claim: PersistentVolumeClaim, name: string): Promise<ClaimedVolume> {
    const { volumeName = '', volumeMode } = claim.spec ?? {};
    if (claim.status?.phase !== 'Bound' || volumeName === '')
      throw new Error(`error processing PVC ${name}: PVC is not bound`);
    const ref = { group: '', version: 'v1', resource: 'persistentvolumes' };
    const volume = await this.client.get<PersistentVolume & ApiObject>(ref, volumeName);
    const { claimRef, nodeAffinity, local, hostPath } = volume.spec ?? {};
    if (claimRef?.uid !== claim.metadata?.uid)
      throw new Error(`error processing PVC ${name}: the volume ${volumeName} is bound to another claim`);
    if (nodeAffinity?.required && !this.#isHere(nodeAffinity.required))
      throw new Error(`the volume ${volumeName} is not on this node`);
    if (local) return localVolume(local, volumeMode === 'Block');
    if (volumeMode === 'Block' || !hostPath)
      throw new Error(`the volume ${volumeName} is of a type that is not offered`);
    await checkHostPath(hostPath.path ?? '', hostPath.type ?? '');
    return { path: hostPath.path ?? '', isOwned: false };
  }

  #isHere(required: NonNullable<NonNullable<PersistentVolume['spec']>['nodeAffinity']>['required']): boolean {
    const nodeAffinity = { ...(required && { requiredDuringSchedulingIgnoredDuringExecution: required }) };
    return matchesNode({ spec: { affinity: { nodeAffinity } } }, this.node());
  }
}

/** A folder, or a block device: either its file system is mounted, or containers get it as it is. */
async function localVolume({ path = '', fsType }: LocalVolumeSource, isRaw: boolean): Promise<ClaimedVolume> {
  if (isRaw) {
    await checkHostPath(path, 'BlockDevice');
    return { path, isOwned: false, device: 'raw' };
  }
  if (await isBlockDevice(path)) return { path, isOwned: true, device: 'disk', ...(fsType && { fsType }) };
  await checkHostPath(path, 'Directory');
  return { path, isOwned: true };
}

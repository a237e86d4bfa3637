import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ContainerMount } from '@orch/container-runtime';
import {
  expand,
  hostsFile,
  hostsFileOfNode,
  type Mounter,
  mountSubPath,
  PathEscapeError,
  type PodContainer,
  type PodFolders,
  podHostname,
  type ReadyVolume,
  uidOf,
  unknownReferences,
} from '@orch/pod-environment';
import type { Pod, VolumeMount } from '@orch/schema/types/core/v1';

const HOSTS = '/etc/hosts';
const PROPAGATION = { None: 'private', HostToContainer: 'host-to-container', Bidirectional: 'bidirectional' } as const;

/** A container whose mounts are wanted. */
interface MountsRequest {
  /** The container's pod. */
  readonly pod: Pod;
  /** The container. */
  readonly container: PodContainer;
  /** Volumes of the pod by name. */
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  /** Environment of the container, for `subPathExpr`. */
  readonly environment: ReadonlyMap<string, string>;
  /** Addresses of the pod, for `/etc/hosts`. */
  readonly podIPs: readonly string[];
}

/** Prepares what containers see of the node's files. */
export class ContainerMounts {
  /** @param clusterDomain domain of the cluster, for `/etc/hosts` */
  constructor(
    private readonly folders: PodFolders,
    private readonly mounter: Mounter,
    private readonly clusterDomain: string,
  ) {}

  /** Returns the mounts of a container: volumes, `/etc/hosts`, the file of its termination message. @throws Error */
  async of(request: MountsRequest): Promise<ContainerMount[]> {
    const { container } = request;
    const mounts: ContainerMount[] = [];
    for (const [index, mount] of (container.volumeMounts ?? []).entries())
      mounts.push(await this.#volume(request, mount, index));
    if (!mounts.some(({ containerPath }) => containerPath === HOSTS)) mounts.push(await this.#hosts(request));
    if (container.terminationMessagePath) mounts.push(await this.#message(request, container.terminationMessagePath));
    return mounts;
  }

  async #volume(request: MountsRequest, mount: VolumeMount, index: number): Promise<ContainerMount> {
    const { name = '', mountPath = '', readOnly = false, mountPropagation = 'None' } = mount;
    const volume = request.volumes.get(name);
    const container = request.container.name ?? '';
    if (!volume) throw new Error(`cannot find volume "${name}" to mount into container "${container}"`);
    const path = subPathOf(mount, request.environment);
    const hostPath = path === '' ? volume.path : await this.#part(request, name, index, { volume: volume.path, path });
    return {
      containerPath: resolve('/', mountPath),
      hostPath,
      readOnly: readOnly || volume.readOnly,
      propagation: PROPAGATION[mountPropagation as keyof typeof PROPAGATION],
    };
  }

  async #part(
    { pod, container }: MountsRequest,
    name: string,
    index: number,
    part: { volume: string; path: string },
  ): Promise<string> {
    const target = this.folders.subPath(uidOf(pod), name, container.name ?? '', index);
    try {
      await mountSubPath({ ...part, target }, this.mounter);
      return target;
    } catch (error) {
      if (error instanceof PathEscapeError && error.message.includes('SubPath')) throw error;
      // Details would tell of the node's files.
      throw new Error(`failed to prepare subPath for volumeMount "${name}" of container "${container.name ?? ''}"`, {
        cause: error,
      });
    }
  }

  /** The file is one for all containers of a pod. */
  async #hosts({ pod, podIPs }: MountsRequest): Promise<ContainerMount> {
    const hostPath = this.folders.hostsFile(uidOf(pod));
    const { hostNetwork = false, hostAliases = [] } = pod.spec ?? {};
    const text = hostNetwork
      ? hostsFileOfNode(await readFile(HOSTS, 'utf8'), hostAliases)
      : hostsFile(podIPs, podHostname(pod, this.clusterDomain), hostAliases);
    await mkdir(dirname(hostPath), { recursive: true, mode: 0o750 });
    await writeFile(hostPath, text);
    await chmod(hostPath, 0o644);
    return { containerPath: HOSTS, hostPath };
  }

  /** Each run has a file of its own. */
  async #message({ pod, container }: MountsRequest, containerPath: string): Promise<ContainerMount> {
    const folder = this.folders.container(uidOf(pod), container.name ?? '');
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const hostPath = join(folder, randomBytes(4).toString('hex'));
    await writeFile(hostPath, '', { flag: 'wx' });
    // Containers of any user may write it.
    await chmod(hostPath, 0o666);
    return { containerPath: resolve('/', containerPath), hostPath };
  }
}

function subPathOf({ subPath = '', subPathExpr = '' }: VolumeMount, environment: ReadonlyMap<string, string>): string {
  if (subPathExpr === '') return subPath;
  const [missing] = unknownReferences(subPathExpr, (name) => environment.has(name));
  if (missing !== undefined) throw new Error(`missing value for "${missing}"`);
  return expand(subPathExpr, (name) => environment.get(name));
}

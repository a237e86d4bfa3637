import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { parseQuantity } from '@orch/machinery';
import { removeTree } from '@orch/runtime';
import type { EmptyDirVolumeSource, Pod, Volume } from '@orch/schema/types/core/v1';
import { containersOf, uidOf } from '../identity.js';
import { type VolumePayload, writePayload } from './atomic-writer.js';
import type { ClaimedVolume } from './claims.js';
import { GivenFolders } from './given-folders.js';
import { checkHostPath } from './host-path.js';
import type { Mounter } from './mounter.js';
import { giveToGroup } from './ownership.js';
import { configMapPayload, downwardPayload, type PayloadInputs, projectedPayload, secretPayload } from './payloads.js';
import type { PodFolders } from './pod-folders.js';

/** A volume that is ready for the containers of its pod. */
export interface ReadyVolume {
  /** Path on the node. */
  readonly path: string;
  /** Whether containers may only read it. */
  readonly readOnly: boolean;
  /** Whether it is a block device, which containers get as it is; false by default. */
  readonly isDevice?: boolean;
}

/** Thrown while volumes of a pod are not ready; they are tried again. */
export class VolumesError extends Error {
  override readonly name = 'VolumesError';
  /** @param failures messages by volume, for events */
  constructor(readonly failures: ReadonlyMap<string, string>) {
    super(`unmounted volumes=[${[...failures.keys()].join(' ')}], unattached volumes=[], failed to process volumes=[]`);
  }
}

/** Dependencies of {@link PodVolumes}. */
interface PodVolumesSettings {
  /** Folders of pods. */
  readonly folders: PodFolders;
  /** Mounts of the machine. */
  readonly mounter: Mounter;
  /** Returns the sources of the files of a pod's volumes. */
  readonly inputs: (pod: Pod) => PayloadInputs;
  /** Resolves claims; absent without an API. */
  readonly claims?: { resolve(pod: Pod, volume: Volume): Promise<ClaimedVolume> };
}

/** Sources that are made of objects: type of the folder, and how the files are made. */
type Payloads = (volume: Volume, inputs: PayloadInputs) => Promise<VolumePayload>;
const OF_OBJECTS: Readonly<Record<string, readonly [type: string, payload: Payloads]>> = {
  configMap: [
    'configmap',
    ({ configMap }, inputs) => configMapPayload(configMap ?? {}, configMap?.defaultMode, inputs),
  ],
  secret: [
    'secret',
    ({ secret = {} }, inputs) => {
      const { secretName = '', items = [], optional = false, defaultMode } = secret;
      return secretPayload({ name: secretName, items, optional }, defaultMode, inputs);
    },
  ],
  downwardAPI: [
    'downward-api',
    async ({ downwardAPI }, inputs) => downwardPayload(downwardAPI?.items ?? [], downwardAPI?.defaultMode, inputs),
  ],
  projected: [
    'projected',
    ({ projected }, inputs) => projectedPayload(projected?.sources ?? [], projected?.defaultMode, inputs),
  ],
};

/** Types of folders whose files are kept in memory, where the agent may mount: nothing of them is to stay on a disk. */
const IN_MEMORY: ReadonlySet<string> = new Set(['secret', 'projected', 'downward-api']);

/** Volumes of pods on this node. */
export class PodVolumes {
  readonly #given = new GivenFolders();
  /** The last mount of a disk: one at a time, so that none is formatted twice. */
  #disks: Promise<void> = Promise.resolve();
  /** Whether a mount has failed: then files lie on the disk. */
  #cannotMount = false;

  constructor(private readonly settings: PodVolumesSettings) {}

  /**
   * Makes the volumes that containers of a pod mount, and brings the files of those that are made of objects up to
   * date. What is ready already stays.
   * @returns the volumes by name
   * @throws VolumesError
   */
  async setUp(pod: Pod): Promise<ReadonlyMap<string, ReadyVolume>> {
    const used = mountedVolumes(pod);
    const ready = new Map<string, ReadyVolume>();
    const failures = new Map<string, string>();
    for (const volume of pod.spec?.volumes ?? []) {
      const { name = '' } = volume;
      if (!used.has(name)) continue;
      try {
        ready.set(name, await this.#setUpOne(pod, volume));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        failures.set(name, `MountVolume.SetUp failed for volume "${name}" : ${message}`);
      }
    }
    if (failures.size > 0) throw new VolumesError(failures);
    return ready;
  }

  /**
   * Unmounts and removes the volumes of a pod that has ended; files of its containers stay.
   * @throws Error where something cannot be unmounted: then nothing is removed
   */
  async tearDown(uid: string): Promise<void> {
    const { folders, mounter } = this.settings;
    const folder = folders.pod(uid);
    for (const place of (await mounter.mountsBelow(folder)).reverse()) await mounter.unmount(place);
    const left = await mounter.mountsBelow(folder);
    if (left.length > 0) throw new Error(`something is still mounted at ${left.join(', ')}`);
    for (const part of [folders.subPaths(uid), folders.volumes(uid)]) await removeTree(part);
    this.#given.forget(uid);
  }

  /** Removes everything of a pod that is gone. @throws Error as {@link tearDown} */
  async remove(uid: string): Promise<void> {
    await this.tearDown(uid);
    await removeTree(this.settings.folders.pod(uid));
  }

  /** Returns the uids of pods that have folders. */
  async known(): Promise<string[]> {
    try {
      return await readdir(this.settings.folders.pods);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async #setUpOne(pod: Pod, volume: Volume): Promise<ReadyVolume> {
    const source = sourceOf(volume);
    const ofObjects = OF_OBJECTS[source];
    if (ofObjects) return { path: await this.#ofObjects(pod, volume, ...ofObjects), readOnly: true };
    if (volume.emptyDir) return { path: await this.#emptyDir(pod, volume, volume.emptyDir), readOnly: false };
    if (volume.hostPath) {
      const { path = '', type = '' } = volume.hostPath;
      await checkHostPath(path, type);
      return { path, readOnly: false };
    }
    if (volume.persistentVolumeClaim || volume.ephemeral) return this.#claimed(pod, volume);
    throw new Error(`volumes of the type ${source} are not offered by this node`);
  }

  async #ofObjects(pod: Pod, volume: Volume, type: string, payload: Payloads): Promise<string> {
    const { folders, inputs } = this.settings;
    const files = await payload(volume, inputs(pod));
    const folder = folders.volume(uidOf(pod), type, volume.name ?? '');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    if (IN_MEMORY.has(type)) await this.#keepInMemory(folder);
    const group = groupOf(pod);
    await writePayload(folder, files, async (version) => {
      if (group !== undefined) await giveToGroup(version, { group, readOnly: true });
    });
    return folder;
  }

  /** A folder that has files already is one that containers use, which would not see a mount. */
  async #keepInMemory(folder: string): Promise<void> {
    if (this.#cannotMount || (await readdir(folder)).length > 0) return;
    const { mounter } = this.settings;
    if ((await mounter.mountsBelow(folder)).includes(folder)) return;
    try {
      await mounter.memory(folder, 0);
    } catch {
      this.#cannotMount = true;
      return;
    }
    await chmod(folder, 0o755);
  }

  async #emptyDir(pod: Pod, { name = '' }: Volume, { medium = '', sizeLimit = '0' }: EmptyDirVolumeSource) {
    const { folders, mounter } = this.settings;
    if (medium !== '' && medium !== 'Memory') throw new Error(`the medium ${medium} is not offered by this node`);
    const folder = folders.volume(uidOf(pod), 'empty-dir', name);
    if (!existsSync(folder)) {
      // It has its name once it is ready: an agent that ends before begins anew.
      const making = `${folder}.making`;
      await mkdir(making, { recursive: true });
      await this.#open(making, pod);
      await rename(making, folder);
    }
    if (medium !== 'Memory' || (await mounter.mountsBelow(folder)).includes(folder)) return folder;
    await mounter.memory(folder, Number(parseQuantity(sizeLimit).value()));
    await this.#open(folder, pod);
    return folder;
  }

  /** Lets the containers of a pod, whatever their users, write into an empty folder. */
  async #open(folder: string, pod: Pod): Promise<void> {
    // What is right stays as it is, with the sticky bit that a file system in memory has.
    if (((await stat(folder)).mode & 0o777) !== 0o777) await chmod(folder, 0o777);
    const group = groupOf(pod);
    if (group !== undefined) await giveToGroup(folder, { group, readOnly: false });
  }

  async #claimed(pod: Pod, volume: Volume): Promise<ReadyVolume> {
    const { claims } = this.settings;
    if (!claims) throw new Error('claims need a connection to the API');
    const claimed = await claims.resolve(pod, volume);
    checkMode(pod, volume.name ?? '', claimed.device === 'raw');
    const readOnly = volume.persistentVolumeClaim?.readOnly ?? false;
    if (claimed.device === 'raw') return { path: claimed.path, readOnly, isDevice: true };
    const path = claimed.device === 'disk' ? await this.#disk(pod, volume.name ?? '', claimed) : claimed.path;
    const group = groupOf(pod);
    const onRootMismatch = pod.spec?.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
    // A read-only volume keeps its group, as in the reference.
    if (claimed.isOwned && !readOnly && group !== undefined)
      await this.#given.give(uidOf(pod), claimed.path, { group, readOnly, onRootMismatch }, path);
    return { path, readOnly };
  }

  /** Mounts a disk for a pod. Several pods may have it mounted; one file system is made for all. */
  async #disk(pod: Pod, name: string, { path, fsType = '' }: ClaimedVolume): Promise<string> {
    const { folders, mounter } = this.settings;
    const folder = folders.volume(uidOf(pod), 'local-volume', name);
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const mount = async () => {
      if (!(await mounter.mountsBelow(folder)).includes(folder)) await mounter.disk(path, folder, fsType || 'ext4');
    };
    const mounted = this.#disks.then(mount);
    this.#disks = mounted.catch(() => undefined);
    await mounted;
    return folder;
  }
}

/** Returns the name of a volume's source. */
const sourceOf = ({ name: _name, ...sources }: Volume): string => Object.keys(sources)[0] ?? 'emptyDir';

function mountedVolumes(pod: Pod): Set<string> {
  const names = new Set<string>();
  for (const [, { volumeMounts = [], volumeDevices = [] }] of containersOf(pod))
    for (const { name = '' } of [...volumeMounts, ...volumeDevices]) names.add(name);
  return names;
}

/** @throws Error where containers use a volume as what it is not */
function checkMode(pod: Pod, volume: string, isDevice: boolean): void {
  for (const [, { volumeMounts = [], volumeDevices = [] }] of containersOf(pod)) {
    const [wrong, mode, field] = isDevice
      ? [volumeMounts, 'Block', 'volumeMounts']
      : [volumeDevices, 'Filesystem', 'volumeDevices'];
    if (wrong.some(({ name }) => name === volume))
      throw new Error(`volume ${volume} has volumeMode ${mode}, but is specified in ${field}`);
  }
}

function groupOf(pod: Pod): number | undefined {
  const group = pod.spec?.securityContext?.fsGroup;
  return group === undefined ? undefined : Number(group);
}

import { join } from 'node:path';

/** Uids as servers and manifests give them; nothing that could lead to another folder. */
const UID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Folders of pods below the agent's own, as the reference has them. */
export class PodFolders {
  /** @param root folder of the agent (`--root-dir`), absolute */
  constructor(readonly root: string) {}

  /** Folder of all pods. */
  get pods(): string {
    return join(this.root, 'pods');
  }

  /** Folder of a pod. @throws Error for a uid that is no name of a folder */
  pod(uid: string): string {
    if (!UID.test(uid)) throw new Error(`${JSON.stringify(uid)} is not the uid of a pod`);
    return join(this.pods, uid);
  }

  /** Folder of the volumes of a pod. */
  volumes(uid: string): string {
    return join(this.pod(uid), 'volumes');
  }

  /** Folder of a volume. @param type name of the source, as `empty-dir` */
  volume(uid: string, type: string, name: string): string {
    return join(this.volumes(uid), `kubernetes.io~${type}`, name);
  }

  /** Folder of the mounts of parts of volumes. */
  subPaths(uid: string): string {
    return join(this.pod(uid), 'volume-subpaths');
  }

  /** Place at which a part of a volume is mounted for a container. @param index position among its mounts */
  subPath(uid: string, volume: string, container: string, index: number): string {
    return join(this.subPaths(uid), volume, container, String(index));
  }

  /** Folder of files of a container, its termination message among them. */
  container(uid: string, name: string): string {
    return join(this.pod(uid), 'containers', name);
  }

  /** File that containers of a pod see as `/etc/hosts`. */
  hostsFile(uid: string): string {
    return join(this.pod(uid), 'etc-hosts');
  }
}

import { realpath } from 'node:fs/promises';
import { giveToGroup, type VolumeOwnership } from './ownership.js';

/** Folders of the node that are volumes of pods, which the first pod's group is given. */
export class GivenFolders {
  /** Uids of the pods that have a folder, by its real path. */
  readonly #users = new Map<string, Set<string>>();

  /**
   * Gives a folder to the group of a pod, unless the pod or another has it already: a volume is given once while it is in use, as
   * files that containers make belong to whom they say.
   * @param path folder, or a link to one
   */
  async give(uid: string, path: string, ownership: VolumeOwnership): Promise<void> {
    const folder = await realpath(path);
    const users = this.#users.get(folder) ?? new Set<string>();
    if (users.size === 0) await giveToGroup(folder, ownership);
    this.#users.set(folder, users.add(uid));
  }

  /** Forgets the folders of a pod that has ended. */
  forget(uid: string): void {
    for (const [folder, users] of this.#users) if (users.delete(uid) && users.size === 0) this.#users.delete(folder);
  }
}

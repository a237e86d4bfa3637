import { realpath } from 'node:fs/promises';
import { giveToGroup, type VolumeOwnership } from './ownership.js';

/** Folders of the node that are volumes of pods, which the first pod's group is given. */
export class GivenFolders {
  /** Uids of the pods that have a folder, by its real path. */
  readonly #users = new Map<string, Set<string>>();

  /**
   * Gives a volume to the group of a pod, unless the pod or another has it already: a volume is given once while it is in use, as
   * files that containers make belong to whom they say.
   * @param source folder or device of the node, or a link to one
   * @param folder where its files are; the source itself by default
   */
  async give(uid: string, source: string, ownership: VolumeOwnership, folder?: string): Promise<void> {
    const place = await realpath(source);
    const users = this.#users.get(place) ?? new Set<string>();
    if (users.size === 0) await giveToGroup(folder === undefined ? place : await realpath(folder), ownership);
    this.#users.set(place, users.add(uid));
  }

  /** Forgets the folders of a pod that has ended. */
  forget(uid: string): void {
    for (const [place, users] of this.#users) if (users.delete(uid) && users.size === 0) this.#users.delete(place);
  }
}

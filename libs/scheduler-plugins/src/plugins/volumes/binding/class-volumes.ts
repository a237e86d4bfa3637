import type { SharedInformer } from '@orch/runtime/informers';
import type { PersistentVolume } from '@orch/schema/types/core/v1';
import { type VolumeNames, volumeClass } from '../volume-names.js';
import type { AssumedObjects } from './assumed-objects.js';

/** Volumes by their class, so that pods that wait for one look only at those. */
export class ClassVolumes {
  readonly #names = new Map<string, Set<string>>();

  constructor(
    informer: SharedInformer<PersistentVolume>,
    private readonly assumed: AssumedObjects<PersistentVolume>,
    private readonly names: VolumeNames,
  ) {
    informer.subscribe({
      added: (volume) => this.#add(volume),
      updated: (before, after) => {
        if (volumeClass(before, this.names) === volumeClass(after, this.names)) return;
        this.#remove(before);
        this.#add(after);
      },
      deleted: (volume) => this.#remove(volume),
    });
  }

  /** Returns the volumes of a class, as they are assumed to be. */
  of(className: string): readonly PersistentVolume[] {
    return [...(this.#names.get(className) ?? [])].flatMap((name) => this.assumed.get(name) ?? []);
  }

  #add(volume: PersistentVolume): void {
    const className = volumeClass(volume, this.names);
    const names = this.#names.get(className) ?? new Set();
    this.#names.set(className, names.add(volume.metadata?.name ?? ''));
  }

  #remove(volume: PersistentVolume): void {
    const className = volumeClass(volume, this.names);
    const names = this.#names.get(className);
    names?.delete(volume.metadata?.name ?? '');
    if (names?.size === 0) this.#names.delete(className);
  }
}

import type { Names } from '@orch/machinery';
import type { Clock } from '@orch/runtime/clock';
import type { SharedInformer } from '@orch/runtime/informers';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@orch/schema/types/core/v1';
import type { ClusterObjects } from '../../../framework/cluster-view.js';
import { type VolumeNames, volumeNamesOf } from '../volume-names.js';
import { AssumedObjects } from './assumed-objects.js';
import { ClassVolumes } from './class-volumes.js';
import type { VolumeWriter } from './volume-writer.js';

/** Stages in which binding of volumes can fail: the search for them, the reservation, and the binding itself. */
export type VolumeStage = 'predicate' | 'assume' | 'bind';

/** Dependencies of a {@link VolumeContext}. */
interface VolumeBinderSettings {
  readonly objects: ClusterObjects;
  /** All pods: one that is gone waits for nothing. */
  readonly pods: SharedInformer<Pod>;
  readonly writer: VolumeWriter;
  readonly clock: Clock;
  readonly names: Names;
  /** Called with each failure that is no decision, for metrics. */
  readonly onFailed?: (stage: VolumeStage) => void;
}

/**
 * Volumes and claims as this scheduler sees them: one for all profiles, since a pod of any of them must see what has been
 * assumed for the others.
 */
export class VolumeContext {
  /** Other objects. */
  readonly objects: ClusterObjects;
  /** All pods. */
  readonly pods: SharedInformer<Pod>;
  /** Writes of volumes and claims. */
  readonly writer: VolumeWriter;
  /** Time. */
  readonly clock: Clock;
  /** Names of annotations and labels. */
  readonly names: VolumeNames;
  /** Volumes by name. */
  readonly volumes: AssumedObjects<PersistentVolume>;
  /** Claims by `namespace/name`. */
  readonly claims: AssumedObjects<PersistentVolumeClaim>;
  /** Volumes by class. */
  readonly volumesOfClass: ClassVolumes;

  readonly #onFailed: ((stage: VolumeStage) => void) | undefined;

  /** @param shared what follows the cluster already, of another context */
  constructor(
    private readonly settings: VolumeBinderSettings,
    shared?: Pick<VolumeContext, 'volumes' | 'claims' | 'volumesOfClass'>,
  ) {
    const { objects, pods, writer, clock, names, onFailed } = settings;
    this.#onFailed = onFailed;
    this.objects = objects;
    this.pods = pods;
    this.writer = writer;
    this.clock = clock;
    this.names = volumeNamesOf(names);
    this.volumes = shared?.volumes ?? new AssumedObjects(objects.persistentVolumes, 'v1.PersistentVolume');
    this.claims = shared?.claims ?? new AssumedObjects(objects.persistentVolumeClaims, 'v1.PersistentVolumeClaim');
    this.volumesOfClass =
      shared?.volumesOfClass ?? new ClassVolumes(objects.persistentVolumes, this.volumes, this.names);
  }

  /** Returns the same volumes and claims, whose changes are written otherwise. */
  writtenBy(writer: VolumeWriter): VolumeContext {
    return new VolumeContext({ ...this.settings, writer }, this);
  }

  /** Does the work of a stage, and reports its failure. @throws what the work throws */
  attempt<T>(stage: VolumeStage, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#onFailed?.(stage);
      throw error;
    }
  }

  /** Reports the failure of a stage that ended later. */
  failed(stage: VolumeStage): void {
    this.#onFailed?.(stage);
  }
}

import type { Names } from '@orch/machinery';
import type { Clock } from '@orch/runtime/clock';
import type { SharedInformer } from '@orch/runtime/informers';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@orch/schema/types/core/v1';
import type { ClusterObjects } from '../../../framework/cluster-view.js';
import { type VolumeNames, volumeNamesOf } from '../volume-names.js';
import { AssumedObjects } from './assumed-objects.js';
import { ClassVolumes } from './class-volumes.js';
import type { VolumeWriter } from './volume-writer.js';

/** Dependencies of a {@link VolumeContext}. */
interface VolumeBinderSettings {
  readonly objects: ClusterObjects;
  /** All pods: one that is gone waits for nothing. */
  readonly pods: SharedInformer<Pod>;
  readonly writer: VolumeWriter;
  readonly clock: Clock;
  readonly names: Names;
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

  constructor({ objects, pods, writer, clock, names }: VolumeBinderSettings) {
    this.objects = objects;
    this.pods = pods;
    this.writer = writer;
    this.clock = clock;
    this.names = volumeNamesOf(names);
    this.volumes = new AssumedObjects(objects.persistentVolumes, 'v1.PersistentVolume');
    this.claims = new AssumedObjects(objects.persistentVolumeClaims, 'v1.PersistentVolumeClaim');
    this.volumesOfClass = new ClassVolumes(objects.persistentVolumes, this.volumes, this.names);
  }
}

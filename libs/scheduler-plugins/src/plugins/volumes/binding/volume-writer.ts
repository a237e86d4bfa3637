import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';

/** Writes of volumes and claims, each conditional on the version of the object that is passed. */
export interface VolumeWriter {
  /** Replaces a volume. Resolves with it as it was stored. @throws where it has changed meanwhile, or is gone */
  updateVolume(volume: PersistentVolume, signal: AbortSignal): Promise<PersistentVolume>;
  /** Replaces a claim. Resolves with it as it was stored. @throws where it has changed meanwhile, or is gone */
  updateClaim(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<PersistentVolumeClaim>;
}

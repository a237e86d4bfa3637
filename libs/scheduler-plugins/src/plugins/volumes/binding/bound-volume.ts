import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import type { VolumeNames } from '../volume-names.js';
import { isVolumeOf } from './volume-candidates.js';

/** Returns a volume that is bound to a claim; the same one where it is already. */
export function boundVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  { boundByController }: VolumeNames,
): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata ?? {};
  const reference = volume.spec?.claimRef;
  const isComplete = reference?.name === name && reference?.namespace === namespace && reference?.uid === uid;
  // The annotation tells that the claim was chosen by the system, and may be given up by it.
  const isChosen = !isVolumeOf(volume, claim) && volume.metadata?.annotations?.[boundByController] === undefined;
  if (isComplete && !isChosen) return volume;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const annotations = { ...volume.metadata?.annotations, [boundByController]: 'yes' };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(isChosen && { annotations }) },
    spec: { ...volume.spec, ...(!isComplete && { claimRef }) },
  };
}

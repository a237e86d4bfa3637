import type { Names } from '@orch/machinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { accessModes, UNSET } from '../values/text.js';
import { termWarnings } from '../warnings/node-labels.js';
import { mayBeAlone } from './claim-validation.js';
import { validateVolume, validateVolumeUpdate } from './persistent-volume-validation.js';

/** Rules of PersistentVolume. */
export const persistentVolume = (settings: KindSettings): KindDeclaration<PersistentVolume> => ({
  gatedFields: [gatedMember('CSINodeExpandSecret', 'spec.csi.nodeExpandSecretRef')],
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
  },
  validate: (object, names, old) => validateVolume(object, names, mayBeAlone(settings.features, old?.spec)),
  validateUpdate: validateVolumeUpdate,
  warnings: ({ spec }, names) =>
    termWarnings(
      spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [],
      'spec.nodeAffinity.required.nodeSelectorTerms',
      names,
    ),
  row: (object, _now, names) => ({
    Capacity: object.spec?.capacity?.storage ?? '',
    'Access Modes': accessModes(object.spec?.accessModes ?? []),
    'Reclaim Policy': object.spec?.persistentVolumeReclaimPolicy ?? '',
    Status: volumePhase(object),
    Claim: claim(object),
    StorageClass: storageClass(object, names),
    Reason: object.status?.reason ?? '',
    VolumeMode: object.spec?.volumeMode || UNSET,
  }),
});

function claim(object: PersistentVolume): string {
  const claimRef = object.spec?.claimRef;
  return claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`;
}

/** Phase of a volume or a claim, `Terminating` while it is being deleted. */
export const volumePhase = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata?.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? '');

/** Class of a volume or a claim; an old annotation goes first. */
export const storageClass = (object: PersistentVolume | PersistentVolumeClaim, names: Names): string =>
  object.metadata?.annotations?.[names.key('volume.beta.orch.io/storage-class')] ?? object.spec?.storageClassName ?? '';

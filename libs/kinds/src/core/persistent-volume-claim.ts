import type { KindDeclaration } from '../rules/kind-rules.js';
import { stringsAt, textAt } from '../values/fields.js';
import { accessModes, UNSET } from '../values/text.js';
import { alignDataSources } from './claim-data-source.js';
import { validateClaim, validateClaimStatus, validateClaimUpdate } from './claim-validation.js';
import { storageClass, volumePhase } from './persistent-volume.js';

export const persistentVolumeClaim: KindDeclaration = {
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    alignDataSources(object);
  },
  prepareForUpdate: alignDataSources,
  validate: ({ spec }, _names, old) => validateClaim(spec, 'spec', old?.spec),
  validateStatus: validateClaimStatus,
  validateUpdate: validateClaimUpdate,
  row(object, _now, names) {
    const volume = textAt(object, 'spec', 'volumeName');
    return {
      Status: volumePhase(object),
      Volume: volume,
      Capacity: volume && (textAt(object, 'status', 'capacity', 'storage') || '0'),
      'Access Modes': volume && accessModes(stringsAt(object, 'status', 'accessModes')),
      StorageClass: storageClass(object, names),
      VolumeMode: textAt(object, 'spec', 'volumeMode') || UNSET,
    };
  },
};

import type { PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import { type GatedFields, gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { accessModes, UNSET } from '../values/text.js';
import { claimWarnings } from '../warnings/amounts.js';
import { alignDataSources, foreignDataSource } from './claim-data-source.js';
import { validateClaim, validateClaimStatus, validateClaimUpdate } from './claim-validation.js';
import { storageClass, volumePhase } from './persistent-volume.js';

/** A claim for storage cannot ask for claims. */
const claimsOfClaim: GatedFields<PersistentVolumeClaim> = {
  drop({ spec }) {
    delete spec?.resources?.claims;
  },
};

/** Rules of PersistentVolumeClaim. */
export const persistentVolumeClaim = (settings: KindSettings): KindDeclaration<PersistentVolumeClaim> => ({
  gatedFields: [gatedMember('AnyVolumeDataSource', 'spec.dataSourceRef'), foreignDataSource, claimsOfClaim],
  gatedStatus: ['allocatedResources', 'resizeStatus'].map((name) =>
    gatedMember('RecoverVolumeExpansionFailure', `status.${name}`),
  ),
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
    alignDataSources(object, settings.features);
  },
  prepareForUpdate: (object, old) => alignDataSources(object, settings.features, old),
  validate: ({ spec }, _names, old) => validateClaim(spec, 'spec', settings.features, old?.spec),
  validateStatus: (object) => validateClaimStatus(object, settings.features),
  validateUpdate: (object, old, names) => validateClaimUpdate(object, old, names, settings.features),
  warnings: ({ spec }) => claimWarnings(spec, 'spec'),
  row(object, _now, names) {
    const volume = object.spec?.volumeName ?? '';
    return {
      Status: volumePhase(object),
      Volume: volume,
      Capacity: volume && (object.status?.capacity?.storage || '0'),
      'Access Modes': volume && accessModes(object.status?.accessModes ?? []),
      StorageClass: storageClass(object, names),
      VolumeMode: object.spec?.volumeMode || UNSET,
    };
  },
});

import type { ApiObject, Names } from '@orch/machinery';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { at, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { accessModes, UNSET } from '../values/text.js';
import { termWarnings } from '../warnings/node-labels.js';
import { mayBeAlone } from './claim-validation.js';
import { validateVolume, validateVolumeUpdate } from './persistent-volume-validation.js';

export const persistentVolume = (settings: KindSettings): KindDeclaration => ({
  gatedFields: [gatedMember('CSINodeExpandSecret', 'spec.csi.nodeExpandSecretRef')],
  prepareForCreate(object) {
    object.status = { phase: 'Pending' };
  },
  validate: (object, names, old) => validateVolume(object, names, mayBeAlone(settings.features, old?.spec)),
  validateUpdate: validateVolumeUpdate,
  warnings: ({ spec }, names) =>
    termWarnings(
      objectsAt(spec, 'nodeAffinity', 'required', 'nodeSelectorTerms'),
      'spec.nodeAffinity.required.nodeSelectorTerms',
      names,
    ),
  row: (object, _now, names) => ({
    Capacity: textAt(object, 'spec', 'capacity', 'storage'),
    'Access Modes': accessModes(stringsAt(object, 'spec', 'accessModes')),
    'Reclaim Policy': textAt(object, 'spec', 'persistentVolumeReclaimPolicy'),
    Status: volumePhase(object),
    Claim: claim(object),
    StorageClass: storageClass(object, names),
    Reason: textAt(object, 'status', 'reason'),
    VolumeMode: textAt(object, 'spec', 'volumeMode') || UNSET,
  }),
});

function claim(object: ApiObject): string {
  if (at(object, 'spec', 'claimRef') === undefined) return '';
  return `${textAt(object, 'spec', 'claimRef', 'namespace')}/${textAt(object, 'spec', 'claimRef', 'name')}`;
}

/** Phase of a volume or a claim, `Terminating` while it is being deleted. */
export const volumePhase = (object: ApiObject): string =>
  object.metadata?.deletionTimestamp ? 'Terminating' : textAt(object, 'status', 'phase');

/** Class of a volume or a claim; an old annotation goes first. */
export const storageClass = (object: ApiObject, names: Names): string =>
  object.metadata?.annotations?.[names.key('volume.beta.orch.io/storage-class')] ??
  textAt(object, 'spec', 'storageClassName');

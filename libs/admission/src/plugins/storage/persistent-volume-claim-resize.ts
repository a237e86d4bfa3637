import { parseQuantity } from '@orch/machinery';
import type { PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import type { StorageClass } from '@orch/schema/types/storage/v1';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { claimClassOf, isAboutClaims } from './claims.js';

/** Claims that are bound may ask for more where their class allows it. */
export const persistentVolumeClaimResize: PluginMaker = ({ names, objects }) => {
  const classes = objects.follow({ group: 'storage.orch.io', resource: 'storageclasses' });
  const mayGrow = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim) => {
    const name = claimClassOf(names, claim) ?? '';
    if (name === '' || name !== claimClassOf(names, old)) return false;
    return (classes.get('', name) as StorageClass | undefined)?.allowVolumeExpansion === true;
  };
  return {
    name: 'PersistentVolumeClaimResize',
    readsOnly: true,
    handles: (target) => target.operation === 'UPDATE' && isAboutClaims(target),
    validate(attributes) {
      const [claim, old] = [attributes.object as PersistentVolumeClaim, attributes.oldObject as PersistentVolumeClaim];
      if (sizeOf(claim).compare(sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound')
        throw refusal(attributes, 'Only bound persistent volume claims can be expanded');
      const why =
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
      if (!mayGrow(claim, old)) throw refusal(attributes, why);
    },
  };
};

const sizeOf = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec?.resources?.requests?.storage ?? '0');

import type { PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import { requireReadable } from '../../known-objects.js';
import type { PluginMaker } from '../../plugin.js';
import { claimClassOf, isAboutClaims } from './claims.js';
import { defaultClassOf } from './default-classes.js';

/** Claims that name no storage class are of the default one, where there is one. */
export const defaultStorageClass: PluginMaker = ({ names, objects }) => {
  const classes = objects.follow({ group: 'storage.orch.io', resource: 'storageclasses' });
  const annotations = ['storageclass.orch.io/is-default-class', 'storageclass.beta.orch.io/is-default-class'];
  const keys = annotations.map((key) => names.key(key));
  return {
    name: 'DefaultStorageClass',
    handles: (target) => target.operation === 'CREATE' && isAboutClaims(target),
    admit({ object }) {
      const claim = object as PersistentVolumeClaim;
      if (claimClassOf(names, claim) !== undefined) return;
      requireReadable(classes, '');
      const name = defaultClassOf(classes.all(), keys)?.metadata?.name;
      if (name === undefined) return;
      claim.spec ??= {};
      claim.spec.storageClassName = name;
    },
  };
};

import { textAt } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const storageClass: KindDeclaration = {
  validateUpdate: (object, old) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((name) =>
      immutableField(object, old, name),
    ),
  row(object, _now, names) {
    const name = object.metadata?.name ?? '';
    const isDefault = ['storageclass.orch.io/is-default-class', 'storageclass.beta.orch.io/is-default-class'].some(
      (key) => object.metadata?.annotations?.[names.key(key)] === 'true',
    );
    return {
      Name: isDefault ? `${name} (default)` : name,
      Provisioner: textAt(object, 'provisioner'),
      ReclaimPolicy: textAt(object, 'reclaimPolicy'),
      VolumeBindingMode: textAt(object, 'volumeBindingMode'),
      AllowVolumeExpansion: object.allowVolumeExpansion === true,
    };
  },
};

import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';

export const csiStorageCapacity: KindDeclaration = {
  unconditionalUpdate: false,
  validateUpdate: (object, old) => [
    ...immutableField(object, old, 'nodeTopology'),
    ...immutableField(object, old, 'storageClassName'),
  ],
  row: (object) => ({ StorageClassName: textAt(object, 'storageClassName'), Capacity: textAt(object, 'capacity') }),
};

import type { KindDeclaration } from '../rules/kind-rules.js';
import { objectsAt } from '../values/fields.js';
import { validateNodeDrivers, validateNodeDriversUpdate } from './csi-node-validation.js';

export const csiNode: KindDeclaration = {
  unconditionalUpdate: false,
  validate: validateNodeDrivers,
  validateUpdate: validateNodeDriversUpdate,
  row: (object) => ({ Drivers: objectsAt(object, 'spec', 'drivers').length }),
};

import type { KindDeclaration } from '../rules/kind-rules.js';
import { objectsAt } from '../values/fields.js';

export const csiNode: KindDeclaration = {
  unconditionalUpdate: false,
  row: (object) => ({ Drivers: objectsAt(object, 'spec', 'drivers').length }),
};

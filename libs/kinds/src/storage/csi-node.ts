import { objectsAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const csiNode: KindDeclaration = {
  unconditionalUpdate: false,
  row: (object) => ({ Drivers: objectsAt(object, 'spec', 'drivers').length }),
};

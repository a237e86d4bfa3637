import { objectAt } from '../rules/fields.js';
import { immutableContents } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const configMap: KindDeclaration = {
  validateUpdate: (object, old) => immutableContents(object, old, ['data', 'binaryData']),
  row: (object) => ({
    Data: Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length,
  }),
};

import { textAt } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const runtimeClass: KindDeclaration = {
  unconditionalUpdate: false,
  validateUpdate: (object, old) => immutableField(object, old, 'handler'),
  row: (object) => ({ Handler: textAt(object, 'handler') }),
};

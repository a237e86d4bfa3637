import { countAt } from '../rules/fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const priorityClass: KindDeclaration = {
  generation: true,
  createOnUpdate: true,
  validateUpdate: (object, old) => [
    ...immutableField(object, old, 'value'),
    ...immutableField(object, old, 'preemptionPolicy'),
  ],
  row: (object) => ({ Value: countAt(object, 'value'), 'Global-Default': object.globalDefault === true }),
};

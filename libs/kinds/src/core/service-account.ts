import type { KindDeclaration } from '../rules/kind-rules.js';
import { objectsAt } from '../values/fields.js';

export const serviceAccount: KindDeclaration = {
  row: (object) => ({ Secrets: objectsAt(object, 'secrets').length }),
};

import { objectsAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const serviceAccount: KindDeclaration = {
  row: (object) => ({ Secrets: objectsAt(object, 'secrets').length }),
};

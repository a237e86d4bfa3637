import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';

export const lease: KindDeclaration = {
  freeFinalizers: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object) => ({ Holder: textAt(object, 'spec', 'holderIdentity') }),
};

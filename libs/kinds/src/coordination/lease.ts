import { textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

export const lease: KindDeclaration = {
  createOnUpdate: true,
  unconditionalUpdate: false,
  row: (object) => ({ Holder: textAt(object, 'spec', 'holderIdentity') }),
};

import { validateContentKeys } from '../rules/content-keys.js';
import { objectAt } from '../rules/fields.js';
import { immutableContents } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

const CONTENTS = ['data', 'binaryData'];

export const configMap: KindDeclaration = {
  validateCreate: (object) => validateContentKeys(object, CONTENTS),
  validateUpdate: (object, old) => [
    ...validateContentKeys(object, CONTENTS, old),
    ...immutableContents(object, old, CONTENTS),
  ],
  row: (object) => ({
    Data: Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length,
  }),
};

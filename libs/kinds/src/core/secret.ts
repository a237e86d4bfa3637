import type { ApiObject, Names } from '@orch/machinery';
import { validateContentKeys } from '../rules/content-keys.js';
import { immutableContents, immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { ensureObject, mapAt, objectAt, textAt } from '../values/fields.js';
import { keyPairFault } from '../warnings/key-pairs.js';
import { validateSecret } from './secret-validation.js';

export const secret: KindDeclaration = {
  defaults(object) {
    const plain = Object.entries(mapAt(object, 'stringData'));
    if (plain.length > 0) {
      const data = ensureObject(object, 'data');
      for (const [key, value] of plain) data[key] = Buffer.from(value, 'utf8').toString('base64');
    }
    delete object.stringData;
  },
  validateCreate: (object) => validateContentKeys(object, ['data']),
  validateUpdate: (object, old) => [
    ...validateContentKeys(object, ['data'], old),
    ...immutableField(object, old, 'type'),
    ...immutableContents(object, old, ['data']),
  ],
  prepareForUpdate(object, old) {
    // The type cannot change, so an update that leaves it out means the old one.
    if (!object.type) object.type = old.type;
  },
  validate: validateSecret,
  warnings: pairWarnings,
  row: (object) => ({ Type: textAt(object, 'type'), Data: Object.keys(objectAt(object, 'data')).length }),
  selectableFields: { type: (object) => textAt(object, 'type') },
};

/** A certificate comes with its key. */
function pairWarnings(object: ApiObject, names: Names): string[] {
  if (object.type !== names.key('orch.io/tls')) return [];
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((name) =>
    Buffer.from(textAt(object, 'data', name), 'base64').toString('latin1'),
  );
  const fault = keyPairFault(certificate, key);
  return fault === undefined ? [] : [fault];
}

import type { Names } from '@orch/machinery';
import type { Secret } from '@orch/schema/types/core/v1';
import { validateContentKeys } from '../rules/content-keys.js';
import { immutableContents, immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { ensureObject } from '../values/fields.js';
import { keyPairFault } from '../warnings/key-pairs.js';
import { validateSecret } from './secret-validation.js';

/** Rules of Secret: `stringData` is merged into `data`; the type is immutable, and so are contents marked as such. */
export const secret: KindDeclaration<Secret> = {
  defaults(object) {
    const plain = Object.entries(object.stringData ?? {});
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
  row: (object) => ({ Type: object.type ?? '', Data: Object.keys(object.data ?? {}).length }),
  selectableFields: { type: (object) => object.type ?? '' },
};

/** A certificate comes with its key. */
function pairWarnings(object: Secret, names: Names): string[] {
  if (object.type !== names.key('orch.io/tls')) return [];
  const [certificate = '', key = ''] = (['tls.crt', 'tls.key'] as const).map((name) =>
    Buffer.from(object.data?.[name] ?? '', 'base64').toString('latin1'),
  );
  const fault = keyPairFault(certificate, key);
  return fault === undefined ? [] : [fault];
}

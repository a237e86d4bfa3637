import { type ApiObject, copy, type Names } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { ensureObject, isEmpty, objectAt, textAt } from '../values/fields.js';
import { UNKNOWN } from '../values/text.js';

/** Lives in `spec.finalizers` until the namespace's contents are gone. */
const contentsFinalizer = (names: Names): string => names.product;

const keepSpec = (object: ApiObject, old: ApiObject): void => {
  object.spec = copy(old.spec);
};

export const namespace: KindDeclaration = {
  nameRule: 'label',
  defaults(object, names) {
    const metadata = ensureObject(object, 'metadata');
    const name = object.metadata?.name;
    if (name) ensureObject(metadata, 'labels')[names.key('orch.io/metadata.name')] = name;
  },
  prepareForCreate(object, names) {
    object.status = { phase: 'Active' };
    const finalizers = objectAt(object, 'spec').finalizers;
    const asked = Array.isArray(finalizers) ? finalizers : [];
    const own = contentsFinalizer(names);
    ensureObject(object, 'spec').finalizers = asked.includes(own) ? asked : [...asked, own];
  },
  prepareForUpdate: keepSpec,
  subresources: {
    finalize(object, old) {
      object.status = copy(old.status);
    },
  },
  prepareForDelete(object) {
    ensureObject(object, 'status').phase = 'Terminating';
  },
  hasFinalizers: (object) => !isEmpty(objectAt(object, 'spec').finalizers),
  row: (object) => ({ Status: textAt(object, 'status', 'phase') || UNKNOWN }),
  selectableFields: { 'status.phase': (object) => textAt(object, 'status', 'phase') },
};

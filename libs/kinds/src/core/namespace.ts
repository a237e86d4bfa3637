import { copy, type FieldError, invalidValue, type Names, qualifiedNameErrors } from '@orch/machinery';
import type { Namespace } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { finalizerNameErrors } from '../rules/finalizers.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { each } from '../rules/lists.js';
import { ensureObject, isEmpty } from '../values/fields.js';
import { UNKNOWN } from '../values/text.js';

/** Lives in `spec.finalizers` until the namespace's contents are gone. */
const contentsFinalizer = (names: Names): string => names.product;

const keepSpec = (object: Namespace, old: Namespace): void => {
  object.spec = copy(old.spec);
};

/** Rules of Namespace; a new one gets the finalizer that stands for its contents. */
export const namespace: KindDeclaration<Namespace> = {
  nameRule: 'label',
  defaults(object, names) {
    const metadata = ensureObject(object, 'metadata');
    const name = object.metadata?.name;
    if (name) ensureObject(metadata, 'labels')[names.key('orch.io/metadata.name')] = name;
  },
  prepareForCreate(object, names) {
    object.status = { phase: 'Active' };
    const finalizers = object.spec?.finalizers;
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
  validateCreate: (object, names) =>
    (object.spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, 'spec.finalizers', names)),
  validateUpdate: validateFinalizers,
  validateStatus: validatePhase,
  prepareForDelete(object) {
    ensureObject(object, 'status').phase = 'Terminating';
  },
  hasFinalizers: (object) => !isEmpty(object.spec?.finalizers),
  row: (object) => ({ Status: object.status?.phase || UNKNOWN }),
  selectableFields: { 'status.phase': (object) => object.status?.phase ?? '' },
};

const validateFinalizer = (name: string, field: string, names: Names): FieldError[] =>
  invalidEach(field, name, [...qualifiedNameErrors(name), ...finalizerNameErrors(name, names)]);

/** Finalizers that `finalize` adds. */
function validateFinalizers(object: Namespace, old: Namespace, names: Names): FieldError[] {
  const held = new Set(old.spec?.finalizers ?? []);
  return each(object.spec?.finalizers ?? [], 'spec.finalizers', (name, field) =>
    held.has(name) ? [] : validateFinalizer(name, field, names),
  );
}

/** Checks that the phase matches the deletion timestamp. Errors use the name of the field that clients know. */
function validatePhase({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? '';
  const goes = metadata?.deletionTimestamp !== undefined;
  if (phase === (goes ? 'Terminating' : 'Active')) return [];
  const text = goes
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue('status.Phase', phase, text)];
}

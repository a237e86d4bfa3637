import {
  type ApiObject,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '@orch/machinery';
import { invalidEach, isNotPositive, isOneOf, quantityOf } from '../rules/checks.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { equal } from '../values/equal.js';
import { at, type Json, objectAt, stringsAt, textAt } from '../values/fields.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];

/** Access modes of a volume or a claim: one that no other pod may share stands alone. */
export function validateAccessModes(spec: unknown, whyRequired: string, path = 'spec'): FieldError[] {
  const modes = stringsAt(spec, 'accessModes');
  const field = `${path}.accessModes`;
  const errors = modes.length === 0 ? [required(field, whyRequired)] : [];
  errors.push(
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(field, mode, ACCESS_MODES)),
  );
  if (modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(forbiddenField(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** The spec of a claim; `path` is its place, also in the template of a pod's own claim. */
export function validateClaimSpec(spec: unknown, path = 'spec'): FieldError[] {
  const name = textAt(spec, 'storageClassName');
  return [
    ...validateAccessModes(spec, 'at least 1 access mode is required', path),
    ...validateLabelSelector(at(spec, 'selector'), `${path}.selector`),
    ...validateSize(textAt(spec, 'resources', 'requests', 'storage'), `${path}.resources[storage]`),
    ...(name === '' ? [] : invalidEach(`${path}.storageClassName`, name, dnsSubdomainErrors(name))),
    ...isOneOf(`${path}.volumeMode`, at(spec, 'volumeMode'), VOLUME_MODES),
  ];
}

export function validateSize(size: string, field: string): FieldError[] {
  if (size === '') return [required(field)];
  return isNotPositive(size) ? [invalidValue(field, size, 'must be greater than zero')] : [];
}

/** A claim is what it was made as, but for the volume it is bound to once, and its size when it is bound. */
export function validateClaimUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const errors: FieldError[] = [];
  if (!equal(comparable(spec, before, object, old), before)) {
    const text = 'spec is immutable after creation except resources.requests for bound claims';
    errors.push(forbiddenField('spec', `${text}\n`));
  }
  const [after, was] = [spec, before].map((each) => quantityOf(textAt(each, 'resources', 'requests', 'storage')));
  if (after && was && after.compare(was) < 0) {
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than previous value'));
  }
  if (!equal(spec.volumeMode, before.volumeMode)) {
    errors.push(invalidValue('volumeMode', spec.volumeMode, 'field is immutable'));
  }
  return errors;
}

/** The new spec with what may change as it was. */
function comparable(spec: Json, before: Json, object: ApiObject, old: ApiObject): Json {
  const fixed = { ...spec };
  if (!before.volumeName) fixed.volumeName = before.volumeName;
  // A class that was left open, or said in an annotation, may be named later.
  if (before.storageClassName === undefined) fixed.storageClassName = undefined;
  const bound = [object, old].some((claim) => textAt(claim, 'status', 'phase') === 'Bound');
  const storage = at(before, 'resources', 'requests', 'storage');
  if (bound && storage !== undefined) {
    const requests = { ...objectAt(spec, 'resources', 'requests'), storage };
    fixed.resources = { ...objectAt(spec, 'resources'), requests };
  }
  return fixed;
}

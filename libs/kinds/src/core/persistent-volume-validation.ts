import {
  type ApiObject,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '@orch/machinery';
import { invalidEach, isNotPositive, isOneOf } from '../rules/checks.js';
import { equal } from '../values/equal.js';
import { at, isObject, type Json, mapAt, objectAt, textAt } from '../values/fields.js';
import { VOLUME_MODES, validateAccessModes } from './claim-validation.js';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
/** Objects in the spec of a volume that do not say where it lies. */
const NO_SOURCE = ['capacity', 'claimRef', 'nodeAffinity'];

export function validateVolume(spec: unknown): FieldError[] {
  const name = textAt(spec, 'storageClassName');
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  return [
    ...validateAccessModes(spec, ''),
    ...validateCapacity(mapAt(spec, 'capacity')),
    ...(policy === '' ? [] : isOneOf('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES)),
    ...validateSource(spec),
    ...(name === '' ? [] : invalidEach('spec.storageClassName', name, dnsSubdomainErrors(name))),
    ...isOneOf('spec.volumeMode', at(spec, 'volumeMode'), VOLUME_MODES),
  ];
}

function validateCapacity(capacity: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required('spec.capacity')] : [];
  if (!names.includes('storage') || names.length > 1) errors.push(notSupported('spec.capacity', capacity, ['storage']));
  for (const [name, amount] of Object.entries(capacity)) {
    if (isNotPositive(amount)) {
      errors.push(invalidValue(`spec.capacity[${name}]`, amount, 'must be greater than zero'));
    }
  }
  return errors;
}

const sourcesOf = (spec: unknown): string[] =>
  Object.entries(objectAt(spec)).flatMap(([name, value]) =>
    isObject(value) && !NO_SOURCE.includes(name) ? [name] : [],
  );

function validateSource(spec: unknown): FieldError[] {
  const [first, ...others] = sourcesOf(spec);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  const errors = others.map((name) => forbiddenField(`spec.${name}`, 'may not specify more than 1 volume type'));
  if (first === 'local' && !isObject(at(spec, 'nodeAffinity'))) {
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (first === 'hostPath' && textAt(spec, 'hostPath', 'path') === '') errors.push(required('spec.hostPath.path'));
  return errors;
}

/** A volume lies where it lies. */
export function validateVolumeUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (!equal(sources(object.spec, old.spec), sources(old.spec, old.spec))) {
    const text = 'spec.persistentvolumesource is immutable after creation\n';
    errors.push(forbiddenField('spec.persistentvolumesource', text));
  }
  const mode = at(object, 'spec', 'volumeMode');
  if (!equal(mode, at(old, 'spec', 'volumeMode'))) errors.push(invalidValue('volumeMode', mode, 'field is immutable'));
  return errors;
}

/** Where the volume lies; the secret for growing it may be added later. */
function sources(spec: unknown, old: unknown): Json {
  const found = Object.fromEntries(sourcesOf(spec).map((name) => [name, at(spec, name)]));
  if (!isObject(found.csi) || at(old, 'csi', 'controllerExpandSecretRef') !== undefined) return found;
  const { controllerExpandSecretRef: _secret, ...csi } = found.csi;
  return { ...found, csi };
}

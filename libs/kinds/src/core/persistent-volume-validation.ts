import { posix } from 'node:path';
import {
  type ApiObject,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  notSupported,
  required,
  VerbatimValue,
} from '@orch/machinery';
import { invalidEach, isNotPositive, isOneOf, quantityOf } from '../rules/checks.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { equal } from '../values/equal.js';
import { at, isEmpty, isObject, type Json, mapAt, objectAt, objectsAt, textAt } from '../values/fields.js';
import { VOLUME_MODES, validateAccessModes } from './claim-validation.js';
import { sourcesOf, validateSource } from './volume-source-validation.js';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** `alone`: a volume may be for one pod only. */
export function validateVolume({ metadata, spec }: ApiObject, names: Names, alone: boolean): FieldError[] {
  const name = textAt(spec, 'storageClassName');
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  return [
    ...validateAccessModes(spec, 'spec', '', alone),
    ...validateCapacity(mapAt(spec, 'capacity')),
    ...(policy === '' ? [] : isOneOf('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES)),
    ...validateAffinity(spec),
    ...validateSource(objectAt(spec), 'spec', metadata?.name ?? '', names),
    ...validateRecycling(spec, policy),
    ...(name === '' ? [] : invalidEach('spec.storageClassName', name, dnsSubdomainErrors(name))),
    ...isOneOf('spec.volumeMode', at(spec, 'volumeMode'), VOLUME_MODES),
  ];
}

/** The volume of an attachment, which has no object of its own. */
export function validateInlineVolume(spec: Readonly<Json>, path: string, names: Names): FieldError[] {
  const context = 'in the context of inline volumes';
  const unfit = ['claimRef', 'capacity', 'nodeAffinity', 'storageClassName'].filter(
    (name) => (isObject(spec[name]) && !(name === 'capacity' && isEmpty(spec[name]))) || textAt(spec, name) !== '',
  );
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const mode = at(spec, 'volumeMode');
  return [
    ...unfit.map((name) => forbiddenField(`${path}.${name}`, `may not be specified ${context}`)),
    ...(isObject(spec.csi) ? [] : [required(`${path}.csi`, `has to be specified ${context}`)]),
    ...validateAccessModes(spec, path, '', false),
    ...(policy === '' || policy === 'Retain'
      ? []
      : [forbiddenField(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`)]),
    ...validateSource(spec, path, '', names),
    ...(mode === undefined || mode === 'Filesystem'
      ? []
      : [forbiddenField(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`)]),
  ];
}

function validateCapacity(capacity: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required('spec.capacity')] : [];
  const shown = names.length === 0 ? new VerbatimValue('core.ResourceList(nil)') : capacity;
  if (!names.includes('storage') || names.length > 1) errors.push(notSupported('spec.capacity', shown, ['storage']));
  for (const [name, amount] of Object.entries(capacity)) {
    const field = `spec.capacity[${name}]`;
    const quantity = quantityOf(amount);
    if (quantity && quantity.nanos < 0n) {
      errors.push(invalidValue(field, Number(quantity.value()), 'must be a valid resource quantity'));
    }
    if (isNotPositive(amount)) errors.push(invalidValue(field, amount, 'must be greater than zero'));
  }
  return errors;
}

/** What lies on a node is reached from there only. */
function validateAffinity(spec: unknown): FieldError[] {
  const affinity = at(spec, 'nodeAffinity');
  if (!isObject(affinity)) {
    if (sourcesOf(spec)[0] !== 'local') return [];
    return [required('spec.nodeAffinity', 'Local volume requires node affinity')];
  }
  const field = 'spec.nodeAffinity.required';
  return isObject(affinity.required)
    ? validateNodeSelector(affinity.required, field)
    : [required(field, 'must specify required node constraints')];
}

/** Nobody's whole disk is swept. */
function validateRecycling(spec: unknown, policy: string): FieldError[] {
  const path = textAt(spec, 'hostPath', 'path');
  if (policy !== 'Recycle' || path === '' || posix.resolve('/', path) !== '/' || !path.startsWith('/')) return [];
  return [forbiddenField('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")];
}

/** A volume lies where it lies. */
export function validateVolumeUpdate(object: ApiObject, old: ApiObject, names: Names): FieldError[] {
  const errors: FieldError[] = [];
  if (!equal(sources(object.spec, old.spec), sources(old.spec, old.spec))) {
    const text = 'spec.persistentvolumesource is immutable after creation\n';
    errors.push(forbiddenField('spec.persistentvolumesource', text));
  }
  const mode = at(object, 'spec', 'volumeMode');
  if (!equal(mode, at(old, 'spec', 'volumeMode'))) errors.push(invalidValue('volumeMode', mode, 'field is immutable'));
  const [affinity, before] = [at(object, 'spec', 'nodeAffinity'), at(old, 'spec', 'nodeAffinity')];
  if (isObject(before) && !equal(affinity, renamed(before, affinity, names))) {
    const text = 'field is immutable, except for updating from beta label to GA';
    errors.push(invalidValue('nodeAffinity', affinity, text));
  }
  return errors;
}

/** Where the volume lies; the secret for growing it may be added later. */
function sources(spec: unknown, old: unknown): Json {
  const found = Object.fromEntries(sourcesOf(spec).map((name) => [name, at(spec, name)]));
  if (!isObject(found.csi) || at(old, 'csi', 'controllerExpandSecretRef') !== undefined) return found;
  const { controllerExpandSecretRef: _secret, ...csi } = found.csi;
  return { ...found, csi };
}

/** Labels of nodes that have got another name, with that. */
const LATER_NAMES: Readonly<Record<string, string>> = {
  'failure-domain.beta.orch.io/zone': 'topology.orch.io/zone',
  'failure-domain.beta.orch.io/region': 'topology.orch.io/region',
  'beta.orch.io/os': 'orch.io/os',
  'beta.orch.io/arch': 'orch.io/arch',
  'beta.orch.io/instance-type': 'node.orch.io/instance-type',
};

/** The old affinity with those labels renamed that the new one has under their later name. */
function renamed(old: Json, affinity: unknown, names: Names): Json {
  const later = new Map(Object.entries(LATER_NAMES).map(([from, to]) => [names.key(from), names.key(to)]));
  const terms = objectsAt(affinity, 'required', 'nodeSelectorTerms');
  const follow = (term: Json, place: number): Json => {
    const followers = objectsAt(terms[place], 'matchExpressions');
    const matchExpressions = objectsAt(term, 'matchExpressions').map((requirement, index) => {
      const key = textAt(followers[index], 'key');
      return later.get(textAt(requirement, 'key')) === key ? { ...requirement, key } : requirement;
    });
    return { ...term, matchExpressions };
  };
  const before = objectsAt(old, 'required', 'nodeSelectorTerms');
  return { ...old, required: { ...objectAt(old, 'required'), nodeSelectorTerms: before.map(follow) } };
}

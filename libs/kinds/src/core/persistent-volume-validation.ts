import { posix } from 'node:path';
import {
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  notSupported,
  required,
  VerbatimValue,
} from '@orch/machinery';
import type {
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '@orch/schema/types/core/v1';
import { invalidEach, isNotPositive, isOneOf, quantityOf } from '../rules/checks.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { equal } from '../values/equal.js';
import { isEmpty, type Json } from '../values/fields.js';
import { VOLUME_MODES, validateAccessModes } from './claim-validation.js';
import { sourcesOf, validateSource } from './volume-source-validation.js';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** `alone`: a volume may be for one pod only. */
export function validateVolume({ metadata, spec }: PersistentVolume, names: Names, alone: boolean): FieldError[] {
  const name = spec?.storageClassName ?? '';
  const policy = spec?.persistentVolumeReclaimPolicy ?? '';
  return [
    ...validateAccessModes(spec, 'spec', '', alone),
    ...validateCapacity(spec?.capacity ?? {}),
    ...(policy === '' ? [] : isOneOf('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES)),
    ...validateAffinity(spec),
    ...validateSource(spec, 'spec', metadata?.name ?? '', names),
    ...validateRecycling(spec, policy),
    ...(name === '' ? [] : invalidEach('spec.storageClassName', name, dnsSubdomainErrors(name))),
    ...isOneOf('spec.volumeMode', spec?.volumeMode, VOLUME_MODES),
  ];
}

/** The volume of an attachment, which has no object of its own. */
export function validateInlineVolume(spec: PersistentVolumeSpec, path: string, names: Names): FieldError[] {
  const context = 'in the context of inline volumes';
  const unfit = (['claimRef', 'capacity', 'nodeAffinity', 'storageClassName'] as const).filter(
    (name) => spec[name] && !(name === 'capacity' && isEmpty(spec.capacity)),
  );
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  const mode = spec.volumeMode;
  return [
    ...unfit.map((name) => forbiddenField(`${path}.${name}`, `may not be specified ${context}`)),
    ...(spec.csi ? [] : [required(`${path}.csi`, `has to be specified ${context}`)]),
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

/** Checks the node affinity of a volume, which a local volume requires. */
function validateAffinity(spec: PersistentVolumeSpec | undefined): FieldError[] {
  const affinity = spec?.nodeAffinity;
  if (!affinity) {
    if (sourcesOf(spec)[0] !== 'local') return [];
    return [required('spec.nodeAffinity', 'Local volume requires node affinity')];
  }
  const field = 'spec.nodeAffinity.required';
  return affinity.required
    ? validateNodeSelector(affinity.required, field)
    : [required(field, 'must specify required node constraints')];
}

/** Refuses to recycle the root of a disk. */
function validateRecycling(spec: PersistentVolumeSpec | undefined, policy: string): FieldError[] {
  const path = spec?.hostPath?.path ?? '';
  if (policy !== 'Recycle' || path === '' || posix.resolve('/', path) !== '/' || !path.startsWith('/')) return [];
  return [forbiddenField('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")];
}

/** Refuses changes of the source and mode of a volume. */
export function validateVolumeUpdate(object: PersistentVolume, old: PersistentVolume, names: Names): FieldError[] {
  const errors: FieldError[] = [];
  if (!equal(sources(object.spec, old.spec), sources(old.spec, old.spec))) {
    const text = 'spec.persistentvolumesource is immutable after creation\n';
    errors.push(forbiddenField('spec.persistentvolumesource', text));
  }
  const mode = object.spec?.volumeMode;
  if (!equal(mode, old.spec?.volumeMode)) errors.push(invalidValue('volumeMode', mode, 'field is immutable'));
  const [affinity, before] = [object.spec?.nodeAffinity, old.spec?.nodeAffinity];
  if (before && !equal(affinity, renamed(before, affinity, names))) {
    const text = 'field is immutable, except for updating from beta label to GA';
    errors.push(invalidValue('nodeAffinity', affinity, text));
  }
  return errors;
}

/** The sources of a volume; the secret for growing it may be added later. */
function sources(
  spec: PersistentVolumeSpec | undefined,
  old: PersistentVolumeSpec | undefined,
): PersistentVolumeSource {
  const found: PersistentVolumeSource = Object.fromEntries(sourcesOf(spec).map((name) => [name, spec?.[name]]));
  if (!found.csi || old?.csi?.controllerExpandSecretRef !== undefined) return found;
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
function renamed(old: VolumeNodeAffinity, affinity: VolumeNodeAffinity | undefined, names: Names): Json {
  const later = new Map(Object.entries(LATER_NAMES).map(([from, to]) => [names.key(from), names.key(to)]));
  const terms = affinity?.required?.nodeSelectorTerms ?? [];
  const follow = (term: NodeSelectorTerm, place: number): Json => {
    const followers = terms[place]?.matchExpressions ?? [];
    const matchExpressions = (term.matchExpressions ?? []).map((requirement, index) => {
      const key = followers[index]?.key ?? '';
      return later.get(requirement.key ?? '') === key ? { ...requirement, key } : requirement;
    });
    return { ...term, matchExpressions };
  };
  const before = old.required?.nodeSelectorTerms ?? [];
  return { ...old, required: { ...old.required, nodeSelectorTerms: before.map(follow) } };
}

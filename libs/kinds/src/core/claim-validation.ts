import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  notSupported,
  required,
} from '@orch/machinery';
import type { Features } from '@orch/schema';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  PersistentVolumeSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '@orch/schema/types/core/v1';
import { invalidEach, isNotPositive, isOneOf, quantityOf } from '../rules/checks.js';
import { hasStrangeValue, validateLabelSelector } from '../rules/label-selector.js';
import { equal } from '../values/equal.js';
import type { Json } from '../values/fields.js';

const RESIZE_STATES = [
  '',
  'ControllerExpansionFailed',
  'ControllerExpansionInProgress',
  'NodeExpansionFailed',
  'NodeExpansionInProgress',
  'NodeExpansionPending',
];
const ALONE = 'ReadWriteOncePod';
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];
/** Modes of volumes and claims. */
export const VOLUME_MODES = ['Block', 'Filesystem'];

/** Whether a volume or a claim may be for one pod only; `old` is the spec that is stored. */
export const mayBeAlone = (
  features: Features,
  old: PersistentVolumeClaimSpec | PersistentVolumeSpec | undefined,
): boolean => features.enabled('ReadWriteOncePod') || (old?.accessModes ?? []).includes(ALONE);

/**
 * Checks the access modes of a volume or a claim: the mode for a single pod must be the only one. `path` is that of the
 * spec, `alone` is whether that mode exists.
 */
export function validateAccessModes(
  spec: PersistentVolumeClaimSpec | PersistentVolumeSpec | undefined,
  path: string,
  whyRequired: string,
  alone: boolean,
): FieldError[] {
  const modesKnown = alone ? [...ACCESS_MODES, ALONE] : ACCESS_MODES;
  const modes = spec?.accessModes ?? [];
  const field = `${path}.accessModes`;
  const errors = modes.length === 0 ? [required(field, whyRequired)] : [];
  const strange = modes.filter((mode) => !modesKnown.includes(mode));
  for (const mode of strange) errors.push(notSupported(field, mode, modesKnown));
  if (modes.includes(ALONE) && modes.some((mode) => ACCESS_MODES.includes(mode))) {
    errors.push(forbiddenField(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** `path` is that of the spec, `old` the one that is stored, in an update. */
export function validateClaim(
  spec: PersistentVolumeClaimSpec | undefined,
  path: string,
  features: Features,
  old?: PersistentVolumeClaimSpec,
): FieldError[] {
  const name = spec?.storageClassName ?? '';
  return [
    ...validateAccessModes(spec, path, 'at least 1 access mode is required', mayBeAlone(features, old)),
    ...validateLabelSelector(spec?.selector, `${path}.selector`, hasStrangeValue(old?.selector)),
    ...validateSize(spec?.resources?.requests?.storage ?? '', `${path}.resources[storage]`),
    ...(name === '' ? [] : invalidEach(`${path}.storageClassName`, name, dnsSubdomainErrors(name))),
    ...isOneOf(`${path}.volumeMode`, spec?.volumeMode, VOLUME_MODES),
    ...validateDataSources(spec?.dataSource, spec?.dataSourceRef, path),
  ];
}

function validateSize(size: string, field: string): FieldError[] {
  if (size === '') return [required(field)];
  return isNotPositive(size) ? [invalidValue(field, size, 'must be greater than zero')] : [];
}

/** Checks the data source of a volume, under its older name and its newer one. */
function validateDataSources(
  source: TypedLocalObjectReference | undefined,
  reference: TypedObjectReference | undefined,
  path: string,
): FieldError[] {
  const namespace = reference?.namespace ?? '';
  const errors = [
    ...validateDataSource(source, `${path}.dataSource`),
    ...validateDataSource(reference, `${path}.dataSourceRef`),
    ...(namespace === '' ? [] : invalidEach(`${path}.dataSourceRef.namespace`, namespace, dnsLabelErrors(namespace))),
  ];
  if (!source || !reference) return errors;
  const field = `${path}.dataSource`;
  if (namespace !== '') {
    return [...errors, invalidValue(path, field, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const same = (['apiGroup', 'kind', 'name'] as const).every((name) => equal(source[name], reference[name]));
  return same ? errors : [...errors, invalidValue(path, field, 'must match dataSourceRef')];
}

function validateDataSource(
  source: TypedLocalObjectReference | TypedObjectReference | undefined,
  path: string,
): FieldError[] {
  if (!source) return [];
  const kind = source.kind ?? '';
  const core = (source.apiGroup ?? '') === '';
  const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(['name', 'kind'] as const).flatMap((name) =>
      (source[name] ?? '') === '' ? [required(`${path}.${name}`)] : [],
    ),
    ...(core && kind !== 'PersistentVolumeClaim' ? [invalidValue(path, kind, text)] : []),
  ];
}

/** A claim is what it was made as, but for the volume it is bound to once, and its size when it is bound. */
export function validateClaimUpdate(
  object: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  names: Names,
  features: Features,
): FieldError[] {
  const [spec, before] = [object.spec, old.spec];
  const errors: FieldError[] = [];
  const key = names.key('volume.beta.orch.io/storage-class');
  const [noted, was] = [object, old].map(({ metadata }) => metadata?.annotations?.[key]);
  const named = namesClass(spec, before, noted, was);
  if (!named && noted !== was) {
    errors.push(invalidValue(`metadata.annotations.${key}`, noted ?? '', 'field is immutable'));
  }
  if (
    !equal(
      comparable(
        spec,
        before,
        object,
        named || (features.enabled('RetroactiveDefaultStorageClass') && mayNameClass(spec, was)),
      ),
      before,
    )
  ) {
    const text = 'spec is immutable after creation except resources.requests for bound claims';
    errors.push(forbiddenField('spec', `${text}\n`));
  }
  errors.push(...validateShrinking(object, old, features));
  if (!equal(spec?.volumeMode, before?.volumeMode)) {
    errors.push(invalidValue('volumeMode', spec?.volumeMode, 'field is immutable'));
  }
  return errors;
}

/** A claim does not shrink, unless it takes back what could not be given. */
function validateShrinking(
  object: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  features: Features,
): FieldError[] {
  const [after, size] = [object, old].map((each) => quantityOf(each.spec?.resources?.requests?.storage || '0'));
  if (!after || !size || after.compare(size) >= 0) return [];
  const field = 'spec.resources.requests.storage';
  if (!features.enabled('RecoverVolumeExpansionFailure')) {
    return [forbiddenField(field, 'field can not be less than previous value')];
  }
  const given = quantityOf(old.status?.capacity?.storage ?? '');
  const tooLittle = given === undefined ? after.nanos <= 0n : after.compare(given) <= 0;
  return tooLittle ? [forbiddenField(field, 'field can not be less than status.capacity')] : [];
}

/** Returns whether an update only moves the class from the annotation, where it used to be, to its field. */
const namesClass = (
  spec: PersistentVolumeClaimSpec | undefined,
  before: PersistentVolumeClaimSpec | undefined,
  noted: string | undefined,
  was: string | undefined,
): boolean =>
  was !== undefined &&
  before?.storageClassName === undefined &&
  spec?.storageClassName === was &&
  (noted === undefined || noted === was);

/** A class that was left open may be named later. */
const mayNameClass = (spec: PersistentVolumeClaimSpec | undefined, was: string | undefined): boolean =>
  spec?.storageClassName !== undefined && (was === undefined || was === spec?.storageClassName);

/** The new spec with what may change as it was. */
function comparable(
  spec: PersistentVolumeClaimSpec | undefined,
  before: PersistentVolumeClaimSpec | undefined,
  object: PersistentVolumeClaim,
  mayName: boolean,
): Json {
  const fixed = { ...spec };
  if (!before?.volumeName) fixed.volumeName = before?.volumeName;
  if (before?.storageClassName === undefined && mayName) fixed.storageClassName = undefined;
  const storage = before?.resources?.requests?.storage;
  if (object.status?.phase === 'Bound' && storage !== undefined && spec?.resources?.requests) {
    const requests = { ...spec?.resources?.requests, storage };
    fixed.resources = { ...spec?.resources, requests };
  }
  return fixed;
}

/** Checks the observed state of a claim. */
export const validateClaimStatus = ({ status }: PersistentVolumeClaim, features: Features): FieldError[] => [
  ...Object.entries(status?.capacity ?? {}).flatMap(([name, amount]) =>
    validateAmount(amount, `status.capacity[${name}]`),
  ),
  ...(features.enabled('RecoverVolumeExpansionFailure') ? validateExpansion(status) : []),
];

/** How far the expansion of its volume has come. */
function validateExpansion(status: PersistentVolumeClaimStatus | undefined): FieldError[] {
  const field = 'status.allocatedResources';
  return [
    ...isOneOf('status.resizeStatus', status?.resizeStatus, RESIZE_STATES),
    ...Object.entries(status?.allocatedResources ?? {}).flatMap(([name, amount]) =>
      name === 'storage' ? validateAmount(amount, `${field}[${name}]`) : [notSupported(field, name, ['storage'])],
    ),
  ];
}

function validateAmount(amount: string, field: string): FieldError[] {
  const quantity = quantityOf(amount);
  if (!quantity || quantity.nanos >= 0n) return [];
  return [invalidValue(field, Number(quantity.value()), 'must be a valid resource quantity')];
}

import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
  type VerbatimValue,
  verbatim,
} from './field-error.js';
import { parseApiVersion } from './group-version.js';
import { validateManagedFields } from './managed-fields-validation.js';
import {
  dnsLabelErrors,
  labelValueErrors,
  type NameRule,
  nameErrors,
  namePrefixErrors,
  qualifiedNameErrors,
} from './name-validation.js';
import type { ObjectMeta, OwnerReference } from './object.js';

/** Maximum bytes of keys and values of all annotations together. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** Rules for validating metadata. */
export interface ObjectMetaRules {
  /** Whether `namespace` must be set; if not, it must be unset. */
  readonly namespaced: boolean;
  /** Required form of the name of the kind's objects. */
  readonly nameRule: NameRule;
  /** Path of the metadata in errors, usually `metadata`. */
  readonly path: string;
}

/** Validates the metadata of an object by the rules that all objects share. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const { path } = rules;
  const errors: FieldError[] = [];
  // Added singly: there may be more than a call can have arguments.
  const add = (more: readonly FieldError[]) => {
    for (const error of more) errors.push(error);
  };
  validateName(meta, rules, errors);
  validateNamespace(meta, rules, errors);
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalidValue(`${path}.generation`, meta.generation, 'must be greater than or equal to 0'));
  }
  if (meta.labels) add(validateLabels(meta.labels, `${path}.labels`));
  if (meta.annotations) add(validateAnnotations(meta.annotations, `${path}.annotations`));
  if (meta.ownerReferences) add(validateOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`));
  if (meta.finalizers) add(validateFinalizers(meta.finalizers, `${path}.finalizers`));
  if (meta.managedFields) add([...validateManagedFields(meta.managedFields, `${path}.managedFields`)]);
  return errors;
}

function validateName(meta: ObjectMeta, { nameRule, path }: ObjectMetaRules, errors: FieldError[]): void {
  if (meta.generateName) {
    for (const text of namePrefixErrors(nameRule, meta.generateName)) {
      errors.push(invalidValue(`${path}.generateName`, meta.generateName, text));
    }
  }
  if (!meta.name) {
    errors.push(required(`${path}.name`, 'name or generateName is required'));
    return;
  }
  for (const text of nameErrors(nameRule, meta.name)) errors.push(invalidValue(`${path}.name`, meta.name, text));
}

function validateNamespace(meta: ObjectMeta, { namespaced, path }: ObjectMetaRules, errors: FieldError[]): void {
  const field = `${path}.namespace`;
  if (!namespaced) {
    if (meta.namespace) errors.push(forbiddenField(field, 'not allowed on this type'));
    return;
  }
  if (!meta.namespace) {
    errors.push(required(field));
    return;
  }
  for (const text of dnsLabelErrors(meta.namespace)) errors.push(invalidValue(field, meta.namespace, text));
}

/** Keys are qualified names, values label values. */
export function validateLabels(labels: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const text of qualifiedNameErrors(key)) errors.push(invalidValue(path, key, text));
    for (const text of labelValueErrors(value)) errors.push(invalidValue(path, value, text));
  }
  return errors;
}

/** Keys are qualified names in any case; values are free, up to 256 KiB for all together. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const text of qualifiedNameErrors(key.toLowerCase())) errors.push(invalidValue(path, key, text));
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > ANNOTATIONS_MAX_BYTES) errors.push(tooLong(path, ANNOTATIONS_MAX_BYTES));
  return errors;
}

/** Checks that references are complete, and at most one is a controller. */
export function validateOwnerReferences(references: readonly OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  let all: VerbatimValue | undefined;
  for (const reference of references) {
    validateOwnerReference(reference, path, errors);
    if (!reference.controller) continue;
    if (controller === undefined) {
      controller = reference.name;
      continue;
    }
    const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${reference.name}`;
    all ??= verbatim(references);
    errors.push(invalidValue(path, all, text));
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: string, errors: FieldError[]): void {
  const gv = parseApiVersion(reference.apiVersion ?? '');
  if (!gv) errors.push(invalidValue(`${path}.apiVersion`, reference.apiVersion ?? '', 'version must not be empty'));
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (!reference[field]) errors.push(invalidValue(`${path}.${field}`, '', `${field} must not be empty`));
  }
  // Events live shorter than objects that they could own.
  if (gv?.group === '' && gv.version === 'v1' && reference.kind === 'Event') {
    errors.push(invalidValue(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
}

/** Finalizers are qualified names; the two ways to treat dependents exclude each other. */
export function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameErrors(finalizer).map((text) => invalidValue(path, finalizer, text)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Validates an update of metadata against the live ones; {@link validateObjectMeta} must be run as well. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) {
    const held = new Set(old.finalizers);
    const added = (meta.finalizers ?? []).filter((finalizer) => !held.has(finalizer)).sort();
    if (added.length > 0) {
      const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
      const text = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
      errors.push(forbiddenField(`${path}.finalizers`, text));
    }
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidValue(`${path}.generation`, meta.generation ?? 0, 'must not be decremented'));
  }
  for (const field of IMMUTABLE) {
    if ((meta[field] ?? undefined) === (old[field] ?? undefined)) continue;
    errors.push(invalidValue(`${path}.${field}`, meta[field] ?? null, 'field is immutable'));
  }
  return errors;
}

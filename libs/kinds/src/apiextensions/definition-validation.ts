import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  type Names,
  required,
} from '@orch/machinery';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from '@orch/schema/types/apiextensions/v1';
import { oneOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import { shownStrings } from '../values/go-syntax.js';
import { validateApproval } from './approval.js';
import { validateConversion } from './conversion-validation.js';
import { hasDefault, hasSchema } from './schema-walk.js';
import { schemasOf, validateVersions } from './version-validation.js';

const SCOPES = ['Cluster', 'Namespaced'];

/** Checks a definition. Messages use the names of fields that clients know. */
export function validateDefinition(
  object: CustomResourceDefinition,
  _names: Names,
  old?: CustomResourceDefinition,
): FieldError[] {
  const spec = object.spec;
  const names = spec?.names;
  return [
    ...(old ? [] : validateName(object.metadata?.name ?? '', spec)),
    ...validateGroup(spec?.group ?? ''),
    ...oneOf('spec.scope', spec?.scope, SCOPES),
    ...validateVersions(spec, old?.spec),
    ...(['plural', 'singular', 'kind', 'listKind'] as const).flatMap((name) =>
      (names?.[name] ?? '') === '' ? [required(`spec.names.${name}`)] : [],
    ),
    ...validateNames(names, 'spec.names'),
    ...validateConversion(spec?.conversion, old?.spec?.conversion),
    ...validateNames(object.status?.acceptedNames, 'status.acceptedNames'),
    ...validateStoredVersions(object),
    ...(old?.spec?.preserveUnknownFields === true ? [] : validatePruning(spec)),
    ...(spec?.preserveUnknownFields === true ? validatePreserving(spec) : []),
  ];
}

/** Refuses changes of immutable fields; scope and kind become immutable once the definition is served. */
export function validateDefinitionUpdate(
  object: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const established = (old.status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
  return [
    ...(established
      ? [...immutableField(object, old, 'spec', 'scope'), ...immutableField(object, old, 'spec', 'names', 'kind')]
      : []),
    ...validateApproval(object, old),
    ...immutableField(object, old, 'spec', 'group'),
    ...immutableField(object, old, 'spec', 'names', 'plural'),
  ];
}

/** Checks the accepted names. */
export const validateDefinitionStatus = (object: CustomResourceDefinition): FieldError[] =>
  validateNames(object.status?.acceptedNames, 'status.acceptedNames');

function validateName(name: string, spec: CustomResourceDefinitionSpec | undefined): FieldError[] {
  if (name === `${spec?.names?.plural ?? ''}.${spec?.group ?? ''}`) return [];
  return [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function validateGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const errors = dnsSubdomainErrors(group);
  if (errors.length > 0) return [invalidValue('spec.group', group, errors.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function validateNames(names: CustomResourceDefinitionNames | undefined, path: string): FieldError[] {
  const kind = names?.kind ?? '';
  const listKind = names?.listKind ?? '';
  const lists = (['shortNames', 'categories'] as const).map((list) =>
    (names?.[list] ?? []).flatMap((name, index) => labelErrors(`${path}.${list}[${index}]`, name, dns1035LabelErrors)),
  );
  return [
    ...(['plural', 'singular'] as const).flatMap((name) =>
      wordErrors(`${path}.${name}`, names?.[name] ?? '', dns1035LabelErrors),
    ),
    ...wordErrors(`${path}.kind`, kind, kindErrors),
    ...wordErrors(`${path}.listKind`, listKind, kindErrors),
    ...(lists[0] ?? []),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...(lists[1] ?? []),
  ];
}

const kindErrors = (kind: string): string[] => {
  const errors = dns1035LabelErrors(kind.toLowerCase());
  return errors.length > 0 ? [`may have mixed case, but should otherwise match: ${errors.join(',')}`] : [];
};

/** Checks a name, unless it is absent. */
const wordErrors = (field: string, value: string, check: (value: string) => string[]): FieldError[] =>
  value === '' ? [] : labelErrors(field, value, check);

function labelErrors(field: string, value: string, check: (value: string) => string[]): FieldError[] {
  const errors = check(value);
  return errors.length > 0 ? [invalidValue(field, value, errors.join(','))] : [];
}

/** Checks the stored versions: a version in which objects may be stored cannot be removed from the definition. */
function validateStoredVersions(object: CustomResourceDefinition): FieldError[] {
  const field = 'status.storedVersions';
  const stored = object.status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidValue(field, shownStrings([]), 'must have at least one stored version')];
  const versions = object.spec?.versions ?? [];
  const known = versions.map((version) => version.name ?? '');
  const missing = versions
    .filter((version) => version.storage === true && !stored.includes(version.name ?? ''))
    .map((version) => invalidValue(field, version, `must have the storage version ${version.name ?? ''}`));
  const unknown = stored.flatMap((version, index) =>
    known.includes(version) ? [] : [invalidValue(`${field}[${index}]`, version, 'must appear in spec.versions')],
  );
  return [...missing, ...unknown];
}

/** Refuses features that require unknown fields to be pruned. */
function validatePreserving(spec: CustomResourceDefinitionSpec | undefined): FieldError[] {
  const strategy = spec?.conversion?.strategy;
  const why = 'must be None if spec.preserveUnknownFields is true';
  return [
    ...(schemasOf(spec).some((schema) => hasSchema(schema, hasDefault))
      ? [invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
    ...(strategy === undefined || strategy === 'None' ? [] : [invalidValue('spec.conversion.strategy', strategy, why)]),
  ];
}

const validatePruning = (spec: CustomResourceDefinitionSpec | undefined): FieldError[] =>
  spec?.preserveUnknownFields === true
    ? [
        invalidValue(
          'spec.preserveUnknownFields',
          true,
          'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
        ),
      ]
    : [];
